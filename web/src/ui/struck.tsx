import type { Strike } from '@tradepost/contract/strike'
import { cn } from './cn.ts'

/** In a list beside a position that an operator has struck (ADR 0079); nothing beside others. */
export function Struck({ struck, className }: Pick<Strike, 'struck'> & { className?: string }) {
  if (!struck) return null
  return (
    <span
      data-slot="struck"
      className={cn(
        'block w-fit rounded-sm bg-muted px-1.5 text-xs leading-4.5 font-medium text-muted-foreground',
        className,
      )}
    >
      Struck
    </span>
  )
}
