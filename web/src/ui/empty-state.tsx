import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import type { Elements } from './elements.ts'

type EmptyStateProps = {
  title: string
  /** The purpose of this place, in a sentence. */
  children?: ReactNode
  /** The one next step. */
  action?: Elements
  icon?: Elements
  className?: string
}

/** A list with nothing in it yet. */
export function EmptyState({ title, children, action, icon, className }: EmptyStateProps) {
  return (
    <div
      data-slot="empty-state"
      className={cn(
        'flex flex-col items-center gap-2 rounded-xl border border-dashed border-border px-6 py-14 text-center',
        className,
      )}
    >
      {icon && <div className="mb-1 text-muted-foreground [&_svg]:size-6">{icon}</div>}
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-sm text-muted-foreground">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
