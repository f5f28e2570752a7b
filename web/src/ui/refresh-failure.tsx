import { cn } from './cn.ts'
import type { Elements } from './elements.ts'
import { focusAround } from './focus-around.ts'

type RefreshFailureProps = {
  /** The sentence to show: the answer's own message or the fallback. */
  message: string
  onRetry: () => void
  className?: string
  /** Its age; outside of the live region that a screen reader speaks by itself. */
  children?: Elements
}

/** A quiet line above a saved list that is shown but could not be refreshed. */
export function RefreshFailure({ message, onRetry, className, children }: RefreshFailureProps) {
  return (
    <div
      data-slot="refresh-failure"
      className={cn('mb-4 rounded-lg border border-border bg-muted px-4 py-2.5 text-sm', className)}
    >
      <p role="status">
        <span>{`Not up to date: ${message} `}</span>
        <button
          type="button"
          onClick={(event) => {
            focusAround(event.currentTarget)
            onRetry()
          }}
          className="cursor-pointer rounded-sm py-1 font-medium underline underline-offset-4 outline-none focus-visible:ring-2 focus-visible:ring-ring"
        >
          Try again
        </button>
      </p>
      {children}
    </div>
  )
}
