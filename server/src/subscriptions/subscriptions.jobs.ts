import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { defineJob, enqueue } from '../platform/queue.ts'

/** Brings a subscription, by Stripe's id, in line with Stripe. */
export const lookAtSubscription = defineJob('look-at-subscription', z.object({ subscriptionId: z.string() }))

/** Brings an open checkout in line with Stripe. */
export const lookAtCheckout = defineJob('look-at-checkout', z.object({ traderId: z.uuid(), id: z.uuid() }))

/** Does what is owed at Stripe for a pair. */
export const settlePairDebts = defineJob(
  'settle-debts',
  z.object({ traderId: z.uuid(), subscriberId: z.uuid() }),
)

/** Somebody was suspended, or let back: what they pay for and are paid for is to be looked at. */
export const suspensionChanged = defineJob('suspension-changed', z.object({ userId: z.uuid() }))

/** The next batch of those who pay for following a trader. */
export const lookAtFollowersFrom = defineJob(
  'look-at-followers',
  z.object({ traderId: z.uuid(), after: z.nullable(z.uuid()) }),
)

/** Daily: people who pay for a trader whose payouts are gone. */
export const lookAtLostPayouts = defineJob('look-at-lost-payouts', z.unknown())

/** Daily: people who have owed a payment for longer than access outlasts it. */
export const lookAtOverdue = defineJob('look-at-overdue', z.unknown())

/** Once for each subscription that waits to be looked at. */
export function enqueueSubscription(db: Queryable, subscriptionId: string): Promise<void> {
  return enqueue(db, lookAtSubscription, { subscriptionId }, { key: `look-at:${subscriptionId}` })
}

/** Once for each checkout that waits to be looked at. */
export function enqueueCheckout(db: Queryable, key: { traderId: string; id: string }): Promise<void> {
  const { id, traderId } = key
  return enqueue(db, lookAtCheckout, { traderId, id }, { key: `look-at:${id}` })
}

/** Once for each pair whose debts are due. */
export function enqueueDebts(db: Queryable, pair: { traderId: string; subscriberId: string }): Promise<void> {
  const { subscriberId, traderId } = pair
  const key = `settle-debts:${traderId}:${subscriberId}`
  // The debts' own rows say when they are tried again.
  return enqueue(db, settlePairDebts, { traderId, subscriberId }, { key, maxAttempts: 1 })
}
