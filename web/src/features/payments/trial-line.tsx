import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { formatAfterTrial, formatTrial, type TrialDays } from '@tradepost/contract/trial'
import { formatLongDay } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'

type TrialLineProps = {
  /** The free days that the viewer would get; null for none. */
  days: TrialDays | null
  /** The price behind them, in the smallest unit of its currency. */
  price: { interval: BillingInterval; cents: number; currency: string }
}

/** The trial before the button that begins it: nothing is due today, from when which price is, and how to end it before (rule G-123). */
export function TrialLine({ days, price }: TrialLineProps) {
  if (days === null) return null
  const end = serverNow()
  end.setDate(end.getDate() + days)
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
