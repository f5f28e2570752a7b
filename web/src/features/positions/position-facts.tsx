import { type Decimal, formatPrice } from '@tradepost/contract/gain'
import type { Position } from '@tradepost/contract/positions'
import type { ReactNode } from 'react'
import { formatAge, formatClock, formatDate, formatExactTime } from '../../lib/format.ts'
import { holdLengthLabel } from '../../lib/hold-length-label.ts'
import { useMinute } from '../../lib/use-minute.ts'
import { cn } from '../../ui/cn.ts'
import { BADGE, publicityOf } from './public-from.tsx'

type PositionFact = 'openPrice' | 'closePrice' | 'opened' | 'holdLength' | 'trader'

/** The end of a position, as an event reports it. */
export type PositionEnd = {
  /** US dollars: of the close, or of the last trade until it is settled. */
  price: number
  /** Percent, two decimals. */
  percentageGain: number
  isSettled: boolean
  /** Of a close alone. */
  notes: string | undefined
}

type PositionFactsProps = {
  position: Position
  /** Which facts, in this order. */
  facts: readonly PositionFact[]
  /** Prices that are shown near the open price. */
  beside?: readonly Decimal[]
  /** `Me` for an own position. */
  trader?: ReactNode
  end?: PositionEnd | undefined
}

/** The published facts, as a list of names and values. */
export function PositionFacts({ position, facts, beside = [], trader, end }: PositionFactsProps) {
  const now = useMinute()
  const shown: Record<PositionFact, { name: string; value: ReactNode }> = {
    openPrice: {
      name: 'Open Price',
      value: <span translate="no">{formatPrice(position.openPrice, ...beside)}</span>,
    },
    closePrice: {
      name: end?.isSettled === false ? 'Last Price' : 'Close Price',
      value: end && <span translate="no">{formatPrice(end.price, position.openPrice)}</span>,
    },
    opened: { name: 'Opened', value: <Opened iso={position.openedAt} now={now} /> },
    holdLength: { name: 'Hold Length', value: <HoldLength position={position} now={now} /> },
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
  const { day, isPublic, over } = publicityOf(position, now)
  return (
    <>
      <span>{holdLengthLabel(position.holdLength)}</span>
      {position.active && !position.struck && !isPublic && day !== null && (
        <span className="block text-sm font-normal text-muted-foreground">{`public from ${day}`}</span>
      )}
      {position.active && !position.struck && isPublic && (
        <>
          <span className={cn(BADGE, 'mt-1')}>{`public since ${day}`}</span>
          {over !== null && (
            <span className="block text-sm font-normal text-muted-foreground">{`${over} over plan`}</span>
          )}
        </>
      )}
    </>
  )
}
