import type { PairRow } from './pair.queries.ts'
import { isLive, type Pair, type StripeSubscription } from './stripe-subscription.ts'

/**
 * Which of those that live at Stripe may stay: the oldest that the product has not begun to end. One that stands here
 * without Stripe's having sold it comes first.
 * @param byAge the oldest first
 * @returns its id, an empty text when none may stay, or null when none lives
 */
export function chooseKept(pair: Pair, byAge: StripeSubscription[], rows: PairRow[]): string | null {
  const living = byAge.filter(isLive)
  if (living.length === 0 || pair.traderId === pair.subscriberId) return null
  if (rows.some((row) => isLive(row) && row.stripeId === null)) return ''
  const ending = ({ endReason, id }: StripeSubscription) =>
    endReason !== null || rows.some((row) => row.stripeId === id && row.endReason !== null)
  return (living.find((one) => !ending(one)) ?? living[0])?.id ?? null
}
