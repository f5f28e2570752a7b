import { type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

type StatCardProps = { label: string; children: ReactNode; className?: string }

/** Three figures beside each other, on a phone in thirds; under 360 px below each other. */
export const statGrid = 'grid gap-1.5 min-[22.5rem]:grid-cols-3 sm:gap-4'

/** How high one is, for what stands in its place while it loads. */
export const statHeight = 'h-21.5 sm:h-23'

/** One figure and its label. */
export function StatCard({ label, children, className }: StatCardProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to forms; this names a figure
    <div
      role="group"
      aria-labelledby={id}
      data-slot="stat-card"
      className={cn(
        'flex flex-col rounded-xl border border-border bg-card p-2.5 sm:px-5 sm:py-4',
        statHeight,
        className,
      )}
    >
      <p id={id} className="grow text-xs text-muted-foreground sm:text-sm">
        {label}
      </p>
      <p className="text-[0.9375rem] font-semibold tracking-tight whitespace-nowrap tabular-nums sm:mt-1 sm:text-2xl">
        {children}
      </p>
    </div>
  )
}
