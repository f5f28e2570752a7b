import { formatPrice } from '@tradepost/contract/gain'
import { HOLD_LENGTH_LABELS } from '@tradepost/contract/hold-length'
import type { Position } from '@tradepost/contract/positions'
import type { ReactNode } from 'react'
import { formatDate } from '../../lib/format.ts'

type PositionFact = 'openPrice' | 'opened' | 'holdLength' | 'trader'

type PositionFactsProps = {
  position: Position
  /** Which facts, in this order. */
  facts: readonly PositionFact[]
  /** `Me` for an own position. */
  trader?: ReactNode
}

/** What was published, as a list of names and values. */
export function PositionFacts({ position, facts, trader }: PositionFactsProps) {
  const shown: Record<PositionFact, { name: string; value: ReactNode }> = {
    openPrice: { name: 'Open Price', value: formatPrice(position.openPrice) },
    opened: { name: 'Opened', value: formatDate(position.openedAt) },
    holdLength: { name: 'Hold Length', value: HOLD_LENGTH_LABELS[position.holdLength] },
    trader: { name: 'Trader', value: trader },
  }
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
      {facts.map((fact) => (
        <div key={fact} className="min-w-0">
          <dt className="text-sm text-muted-foreground">{shown[fact].name}</dt>
          <dd className="mt-0.5 font-medium wrap-anywhere tabular-nums">{shown[fact].value}</dd>
        </div>
      ))}
    </dl>
  )
}
