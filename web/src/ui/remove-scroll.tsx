import type { ComponentType } from 'react'
import type { Elements } from './elements.ts'

/**
 * Stands in for the package of this name, which the drawer's library uses and which writes <style> elements that the
 * Content-Security-Policy refuses. styles.css holds the page still by a selector instead, so only the children remain.
 * scripts/library-patches.ts puts it in place.
 */
export function RemoveScroll({
  as: Part,
  children,
}: {
  as?: ComponentType<{ children: Elements }>
  children: Elements
}) {
  return Part ? <Part>{children}</Part> : children
}
