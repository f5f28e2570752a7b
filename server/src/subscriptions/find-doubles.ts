import type { PairRow } from './pair.queries.ts'
import { isLive, type Pair, type StripeSubscription } from './stripe-subscription.ts'

/**
 * Which of a pair's live subscriptions are one too many, and have to end. The oldest stays that the product has not begun
 * to end; none stays beside a live one that was not bought at Stripe. A person who follows themselves has no doubles:
 * such a subscription ends for another reason.
 * @param byAge all of the pair at Stripe, the oldest first
 * @returns their ids
 */
export function findDoubles(pair: Pair, byAge: StripeSubscription[], rows: PairRow[]): Set<string> {
  if (pair.traderId === pair.subscriberId) return new Set()
  const live = byAge.filter(isLive)
  const isEnding = ({ endReason, id }: StripeSubscription) =>
    endReason !== null || rows.some((row) => row.stripeId === id && row.endReason !== null)
  const hasUnbought = rows.some((row) => isLive(row) && row.stripeId === null)
  const staying = hasUnbought ? undefined : (live.find((one) => !isEnding(one)) ?? live[0])
  return new Set(live.filter((one) => one !== staying).map(({ id }) => id))
}
