import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import type { Elements } from './elements.ts'
import { ErrorBoundary } from './error-boundary.tsx'

type WithAsideProps = {
  /** The name of the column for screen readers. */
  label: string
  aside: Elements
  /** Leaves the column out where it cannot stand beside the content: below, what grows above it would push it down. */
  besideOnly?: boolean
  children: ReactNode
}

/**
 * The content of a screen with a second column on its right, from 1280 px on; under that, where the content needs the width
 * itself, the column comes below it. A column lower than the window stays in sight while the content scrolls.
 */
export function WithAside({ label, aside, besideOnly = false, children }: WithAsideProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8 xl:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="min-w-0">{children}</div>
      <aside
        aria-label={label}
        className={cn('space-y-6 xl:sticky xl:top-6 xl:self-start', besideOnly && 'max-xl:hidden')}
      >
        <ErrorBoundary>{aside}</ErrorBoundary>
      </aside>
    </div>
  )
}
