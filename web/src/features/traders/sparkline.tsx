import { cn } from '../../ui/cn.ts'
import { drawSparkline, SPARKLINE } from './sparkline-path.ts'

type SparklineProps = { levels: readonly number[]; className?: string }

/** A trader's curve beside the line on which it began. It has no words: the figures of the row are for screen readers. */
export function Sparkline({ levels, className }: SparklineProps) {
  const { path, start } = drawSparkline(levels)
  const isBelow = (levels.at(-1) ?? 100) < 100
  return (
    <svg
      data-slot="sparkline"
      aria-hidden="true"
      width={SPARKLINE.width}
      height={SPARKLINE.height}
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
