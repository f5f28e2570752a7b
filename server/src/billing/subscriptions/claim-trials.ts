import type { Queryable } from '../../platform/database/queryable.ts'
import { fetchCard, isLive, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import type { PairRow } from '../entitlements/pair.queries.ts'
import type { BillingDeps, Read } from '../provider/billing-deps.ts'
import { type AskedTrial, decideTrial, lockPeople } from '../trials/decide-trial.ts'
import { keysOfPerson } from '../trials/trial-keys.ts'

/** A pair's subscriptions at Stripe, apart from those whose card Stripe did not tell. @property refused ids of those whose free days were */
export type Claimed = { known: StripeSubscription[]; doubles: Set<string>; refused: Set<string> }

/**
 * Decides about the free days of subscriptions that are seen for the first time, and about doubles (rules G-53 and G-123). The card is
 * known only now. A double needs no decision, since it ends in any case; one that is refused makes way for the next.
 * @param found all of the pair's subscriptions at Stripe, the oldest first
 * @param rows the pair's subscriptions in the database
 * @param tryToRead collects an error of Stripe instead of throwing it
 */
export async function claimTrials(
  deps: BillingDeps,
  tx: Queryable,
  pair: Pair,
  at: { found: StripeSubscription[]; rows: PairRow[]; now: Date },
  tryToRead: <T>(read: () => Promise<T>) => Promise<Read<T>>,
): Promise<Claimed> {
  const { now, rows } = at
  const asked = new Map<string, AskedTrial>()
  const unread = new Set<string>()
  for (const subscription of at.found) {
    if (!asks(subscription, pair, rows)) continue
    const card = await tryToRead(() => fetchCard(deps, subscription))
    if (card.kind === 'unread') unread.add(subscription.id)
    else
      asked.set(subscription.id, {
        stripeSubscriptionId: subscription.id,
        traderId: pair.traderId,
        beganAt: subscription.createdAt,
        person: await keysOfPerson(tx, deps.settings, { userId: pair.subscriberId, card: card.value }),
      })
  }
  if (asked.size > 0) await lockPeople(tx, [...asked.values()])
  const refused = new Set<string>()
  const known = at.found.filter(({ id }) => !unread.has(id))
  for (;;) {
    const doubles = findDoubles(pair, at.found, rows, refused)
    const next = known.find(({ id }) => asked.has(id) && !doubles.has(id))
    const trial = next && asked.get(next.id)
    if (!trial) return { known, doubles, refused }
    asked.delete(trial.stripeSubscriptionId)
    if (!(await decideTrial(tx, trial, now))) refused.add(trial.stripeSubscriptionId)
  }
}

/** Whether free days are to be decided about. Nobody has any of a subscription to oneself, or of one that the product ends already. */
function asks(subscription: StripeSubscription, pair: Pair, rows: PairRow[]): boolean {
  if (subscription.trialEnd === null || !isLive(subscription) || subscription.endReason !== null) return false
  return pair.traderId !== pair.subscriberId && !rows.some(({ stripeId }) => stripeId === subscription.id)
}

/**
 * Finds the live subscriptions of a pair that have to end because the pair has another one (rule G-53). The oldest that
 * the product is not ending already stays. None stays when the database has a live one that was not bought at Stripe.
 * A person's subscription to themselves is no double, since it ends for a separate reason.
 * @param byAge all of the pair's subscriptions at Stripe, the oldest first
 * @param rows the pair's subscriptions in the database
 * @param refused Stripe's ids of those that end because their free days are refused
 * @returns Stripe's ids of those that have to end
 */
function findDoubles(
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
