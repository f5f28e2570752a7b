import { Button } from './button.tsx'

type PartFailureProps = {
  /** The name of the part that could not be loaded, as the beginning of a sentence. */
  what: string
  onRetry: () => void
  onDismiss: () => void
}

/** A part of the page could not be loaded. The screen stays as it is; this lies at its lower edge. */
export function PartFailure({ what, onRetry, onDismiss }: PartFailureProps) {
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-18 z-50 mx-auto flex max-w-md flex-wrap items-center gap-2 rounded-lg border border-border bg-card px-4 py-3 text-sm shadow-xl"
    >
      <p className="flex-1">{`${what} could not be loaded.`}</p>
      <Button variant="outline" size="sm" onClick={onRetry}>
        Try again
      </Button>
      <Button variant="ghost" size="sm" onClick={onDismiss}>
        Close
      </Button>
    </div>
  )
}
