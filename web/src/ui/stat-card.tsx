import { type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

type StatCardProps = { label: string; children: ReactNode; className?: string }

/** One figure and its label. */
export function StatCard({ label, children, className }: StatCardProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to forms; this names a figure
    <div
      role="group"
      aria-labelledby={id}
      data-slot="stat-card"
      className={cn('rounded-xl border border-border bg-card px-5 py-4', className)}
    >
      <p id={id} className="text-sm text-muted-foreground">
        {label}
      </p>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{children}</p>
    </div>
  )
}
