import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

/** A whole HTML document of a mail's `Layout`. */
export function toHtml(mail: ReactElement): string {
  return `<!doctype html>${renderToStaticMarkup(mail)}`
}
