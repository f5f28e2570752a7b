import { formatPrice } from '@tradepost/contract/gain'
import { gainSoFar } from '@tradepost/contract/live-value'
import type { Position } from '@tradepost/contract/positions'
import { useId } from 'react'
import { formatExactTime } from '../../lib/format.ts'
import { Gain } from '../../ui/gain.tsx'
import { noPriceText } from './live-value.tsx'
import { type Marks, markAge } from './use-marks.ts'

/** What an active position has gained so far, large, with the price it was counted from; room is kept for it. */
export function GainSoFar({ position, marks }: { position: Position; marks: Marks }) {
  const id = useId()
  const mark = marks.bySymbol?.get(position.stock)
  const gain = gainSoFar(position.openPrice, mark?.price ?? null)
  const unpriced = noPriceText(mark, marks.failed)
  return (
    <section aria-labelledby={id} className="min-h-22 rounded-lg bg-muted px-4 py-2.5">
      <h3 id={id} className="text-sm text-muted-foreground">
        So far
      </h3>
      <div className="flex flex-wrap items-baseline gap-x-3">
        {gain !== null && <Gain value={gain} className="text-3xl font-semibold tracking-tight" />}
        <p className="text-sm text-muted-foreground tabular-nums">
          {mark?.price && mark.at && (
            <time dateTime={mark.at} title={formatExactTime(mark.at)}>
              {`${unpriced ? 'last' : 'now'} ${formatPrice(mark.price, position.openPrice)}${ago(markAge(marks, position.stock))}`}
            </time>
          )}
          {unpriced && <span className="block">{unpriced}</span>}
        </p>
      </div>
    </section>
  )
}

function ago(age: string | null): string {
  return age === null ? '' : `, ${age} ago`
}
