import type { Queryable } from '../../platform/database/queryable.ts'
import { fetchConsent } from '../../stripe/checkouts.ts'
import type { Pair, StripeSubscription } from '../../stripe/subscriptions.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps, Read } from '../provider/billing-deps.ts'
import { insertConsent, listConsented } from './consents.queries.ts'

/**
 * Stores what a pair's subscriber agreed to on the pages of their checkouts (rule G-125), as Stripe has it. Call it behind what was written
 * of the subscriptions, in that transaction: whatever becomes of a consent, access stands. An unread one is looked for again by the next
 * run. The operator is told once of a subscription without one.
 * @param at.known the pair's subscriptions at Stripe @param at.stored Stripe's ids of those that were here before
 * @param tryToRead collects an error of Stripe instead of throwing it
 */
export async function keepConsents(
  deps: BillingDeps,
  tx: Queryable,
  pair: Pair,
  at: { known: readonly StripeSubscription[]; stored: ReadonlySet<string | null>; now: Date },
  tryToRead: <T>(read: () => Promise<T>) => Promise<Read<T>>,
): Promise<void> {
  const asked = at.known.filter(({ termsVersion }) => termsVersion !== null)
  if (asked.length === 0) return
  const consented = await listConsented(tx, pair)
  for (const { createdAt, id } of asked) {
    if (consented.has(id)) continue
    const read = await tryToRead(() => fetchConsent(deps, id))
    if (read.kind === 'unread') continue
    const found = read.value
    if ('consent' in found)
      // The checkout made the subscription in the moment in which it was completed.
      await insertConsent(tx, pair, { ...found.consent, stripeSubscriptionId: id, acceptedAt: createdAt })
    else await warn(deps, tx, { id, isNew: !at.stored.has(id), reason: found.reason }, at.now)
  }
}

async function warn(
  { log }: BillingDeps,
  tx: Queryable,
  { id, isNew, reason }: { id: string; isNew: boolean; reason: string },
  now: Date,
): Promise<void> {
  log.warn({ subscription: id, reason }, 'a checkout was paid, and Stripe knows of no consent to the terms')
  if (isNew) await alertOperator(tx, 'a checkout was paid without consent to the terms', id, now)
}
