import { cn } from './cn.ts'
import { drawSparkline } from './sparkline-path.ts'

type SparklineProps = {
  /** Two or more, evenly spaced, the first one 100. */
  levels: readonly number[]
  /** In px. */
  size: { width: number; height: number }
  className?: string
}

/** A trader's curve beside the line on which it began. It has no words: the figures beside it are for screen readers. */
export function Sparkline({ levels, size, className }: SparklineProps) {
  const { path, start } = drawSparkline(levels, size)
  const isBelow = (levels.at(-1) ?? 100) < 100
  return (
    <svg
      data-slot="sparkline"
      aria-hidden="true"
      viewBox={`0 0 ${size.width} ${size.height}`}
      {...size}
      className={cn('shrink-0', className)}
    >
      <line
        x1="0"
        x2="100%"
        y1={start}
        y2={start}
        strokeDasharray="2 3"
        className="stroke-muted-foreground/60"
      />
      <path
        d={path}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
        className={isBelow ? 'stroke-destructive' : 'stroke-primary'}
      />
    </svg>
  )
}
