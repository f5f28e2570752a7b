import { isLive, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import type { PairRow } from '../entitlements/pair.queries.ts'

/**
 * Finds the live subscriptions of a pair that have to end because the pair has another one (rule G-53). The oldest that
 * the product is not ending already stays. None stays when the database has a live one that was not bought at Stripe.
 * A person's subscription to themselves is no double, since it ends for a separate reason.
 * @param byAge all of the pair's subscriptions at Stripe, the oldest first
 * @param rows the pair's subscriptions in the database
 * @param refused Stripe's ids of those that end because their free days are refused
 * @returns Stripe's ids of those that have to end
 */
export function findDoubles(
  pair: Pair,
  byAge: StripeSubscription[],
  rows: PairRow[],
  refused: ReadonlySet<string>,
): Set<string> {
  if (pair.traderId === pair.subscriberId) return new Set()
  const live = byAge.filter(isLive)
  const isEnding = ({ endReason, id }: StripeSubscription) =>
    endReason !== null || refused.has(id) || rows.some((row) => row.stripeId === id && row.endReason !== null)
  const hasFree = rows.some((row) => isLive(row) && row.stripeId === null)
  const staying = hasFree ? undefined : (live.find((one) => !isEnding(one)) ?? live[0])
  const doubles = live.filter((one) => one !== staying && !refused.has(one.id))
  return new Set(doubles.map(({ id }) => id))
}
