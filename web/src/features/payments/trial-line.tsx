import { DAY_MS } from '@tradepost/contract/trading-day'
import {
  formatAfterTrial,
  formatTrial,
  type PriceAfterTrial,
  type TrialDays,
} from '@tradepost/contract/trial'
import { formatLongDay } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'

type TrialLineProps = {
  /** The free days that the viewer would get; null for none. */
  days: TrialDays | null
  /** The price behind them. */
  price: PriceAfterTrial
}

/** The trial before the button that begins it: nothing is due today, from when which price is, and how to end it before (rule G-123). */
export function TrialLine({ days, price }: TrialLineProps) {
  if (days === null) return null
  // Days of 24 hours, as Stripe counts them: on the last one summer time may have ended.
  const end = new Date(serverNow().getTime() + days * DAY_MS)
  return (
    <p className="rounded-lg border border-border p-3 text-sm">
      <span className="font-semibold">{formatTrial(days)}</span>
      <span>{`, ${formatAfterTrial(price, formatLongDay(end))}.`}</span>
      <span>
        {' To end it before, choose End trial under Account > Subscriptions: then nothing is charged.'}
      </span>
    </p>
  )
}
