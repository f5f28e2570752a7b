import { cn } from './cn.ts'

type DisabledReasonProps = {
  /** Named by the button's `aria-describedby`. */
  id: string
  /** A sentence, or null while the button may be pressed. */
  reason: string | null
  className?: string
}

/** Beside a disabled button: what has to be done before it can be pressed. Its line stays when the reason goes. */
export function DisabledReason({ id, reason, className }: DisabledReasonProps) {
  return (
    <p id={id} data-slot="disabled-reason" className={cn('min-h-5 text-sm text-muted-foreground', className)}>
      {reason}
    </p>
  )
}
