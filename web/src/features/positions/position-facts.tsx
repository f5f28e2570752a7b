import { type Decimal, formatPrice } from '@tradepost/contract/gain'
import type { Position } from '@tradepost/contract/positions'
import type { ReactNode } from 'react'
import { formatAge, formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { useMinute } from '../../lib/use-minute.ts'
import { cn } from '../../ui/cn.ts'
import { BADGE, publicityOf } from './public-from.tsx'

type PositionFact = 'openPrice' | 'opened' | 'holdLength' | 'trader'

type PositionFactsProps = {
  position: Position
  /** Which facts, in this order. */
  facts: readonly PositionFact[]
  /** Prices that are shown near the open price. */
  beside?: readonly Decimal[]
  /** `Me` for an own position. */
  trader?: ReactNode
}

/** The published facts, as a list of names and values. */
export function PositionFacts({ position, facts, beside = [], trader }: PositionFactsProps) {
  const now = useMinute()
  const shown: Record<PositionFact, { name: string; value: ReactNode }> = {
    openPrice: {
      name: 'Open Price',
      value: <span translate="no">{formatPrice(position.openPrice, ...beside)}</span>,
    },
    opened: { name: 'Opened', value: <Opened iso={position.openedAt} now={now} /> },
    holdLength: { name: 'Hold Length', value: <HoldLength position={position} now={now} /> },
    trader: { name: 'Trader', value: trader },
  }
  const publicity = publicityOf(position, now)
  const isKept =
    publicity.day !== null &&
    facts.includes('holdLength') &&
    position.active &&
    !position.struck &&
    !publicity.isPublic
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
        {facts.map((fact) => (
          <div key={fact} className="min-w-0">
            <dt className="text-sm text-muted-foreground">{shown[fact].name}</dt>
            <dd className="mt-0.5 font-medium wrap-anywhere tabular-nums">{shown[fact].value}</dd>
          </div>
        ))}
      </dl>
      {isKept && <p className="mt-2 text-sm text-muted-foreground">{`public from ${publicity.day}`}</p>}
    </>
  )
}

/** The local date, how long ago that was, and the time of day here and in UTC. */
function Opened({ iso, now }: { iso: string; now: Date }) {
  const age = formatAge(iso, now)
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      <span>{formatDate(iso)}</span>
      <span className="block text-sm font-normal text-muted-foreground">
        <span>{age === null ? 'just now' : `${age} ago`}</span>
        <span className="block">{formatClock(iso)}</span>
      </span>
    </time>
  )
}

function HoldLength({ position, now }: { position: Position; now: Date }) {
  const { day, isPublic } = publicityOf(position, now)
  return (
    <>
      <span>{holdLengthLabel(position.holdLength)}</span>
      {position.active && !position.struck && isPublic && (
        <span className={cn(BADGE, 'mt-1')}>{`public since ${day}`}</span>
      )}
    </>
  )
}
