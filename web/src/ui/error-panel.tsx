import { CircleAlert } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { focusAround } from './focus-around.ts'

type ErrorPanelProps = {
  /** The sentence to show: the answer's own message or the fallback. */
  message: string
  onRetry?: () => void
  retrying?: boolean
  className?: string
}

/** Something could not be loaded: what happened, and a way to try again. */
export function ErrorPanel({ message, onRetry, retrying = false, className }: ErrorPanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const shown = panel.current
    // It may be asked again without a press, as once the live feed is open: somebody who is at the button keeps their place.
    return () => {
      if (shown?.contains(document.activeElement)) focusAround(shown)
    }
  }, [])
  return (
    <div
      ref={panel}
      role="alert"
      data-slot="error-panel"
      className={cn(
        'flex flex-col items-center gap-4 rounded-xl border border-border bg-card px-6 py-12 text-center',
        className,
      )}
    >
      <CircleAlert aria-hidden="true" className="size-6 text-destructive" />
      <p className="max-w-prose">{message}</p>
      {onRetry && (
        <Button
          variant="outline"
          loading={retrying}
          onClick={(event) => {
            focusAround(event.currentTarget)
            onRetry()
          }}
        >
          Try again
        </Button>
      )}
    </div>
  )
}
