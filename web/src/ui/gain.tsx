import { type Decimal, formatGain, isLoss } from '@tradepost/contract/gain'
import { wholePercent } from '@tradepost/contract/price-rights'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

type GainProps = Omit<ComponentProps<'span'>, 'children'> & {
  /** Percent, as the API gives it. */
  value: Decimal
  /** Whether it is known in whole percent alone, and has no decimals. */
  whole?: boolean | undefined
}

/** The triangle of a gain, up, or of a loss, down. */
export function GainGlyph({ loss }: { loss: boolean }) {
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className="size-[0.6em] fill-current">
      <path d={loss ? 'M0 2h10L5 9z' : 'M0 8h10L5 1z'} />
    </svg>
  )
}

/**
 * A gain as people read it: `+12.34%` or `-3.20%`, marked by sign, glyph, colour and, for screen readers, a word; `0.00%` has
 * neither sign, glyph nor word, since nothing rose. A loss takes the destructive colour, everything else the primary one
 * (docs/specification.md section 2, Leaderboard).
 */
export function Gain({ value, whole = false, className, ...props }: GainProps) {
  const shown = whole ? wholePercent(value) : formatGain(value)
  const loss = whole ? shown.startsWith('-') : isLoss(value)
  const rises = !loss && Number(shown) !== 0
  return (
    <span
      data-slot="gain"
      data-loss={loss || undefined}
      className={cn(
        'inline-flex items-center gap-1 font-medium whitespace-nowrap tabular-nums',
        loss ? 'text-destructive' : 'text-primary',
        className,
      )}
      {...props}
    >
      {(loss || rises) && (
        <>
          <GainGlyph loss={loss} />
          <span className="sr-only">{loss ? 'loss ' : 'gain '}</span>
        </>
      )}
      <span translate="no">
        {rises && <span>+</span>}
        <span>{`${shown}%`}</span>
      </span>
    </span>
  )
}
