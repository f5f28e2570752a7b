import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { defineJob, enqueue } from '../work/jobs.ts'

/** Brings a subscription, by Stripe's id, in line with Stripe. */
export const lookAtSubscription = defineJob('look-at-subscription', z.object({ subscriptionId: z.string() }))

/** Brings an open checkout in line with Stripe. */
export const lookAtCheckout = defineJob('look-at-checkout', z.object({ traderId: z.uuid(), id: z.uuid() }))

/** Settles the pair's debts that are due at Stripe (decision 0026). */
export const settlePairDebts = defineJob(
  'settle-debts',
  z.object({ traderId: z.uuid(), subscriberId: z.uuid() }),
)

/** An operator suspended or restored somebody: the subscriptions that they pay for or are paid by are synced. */
export const suspensionChanged = defineJob('suspension-changed', z.object({ userId: z.uuid() }))

/** Syncs the next batch of a trader's subscriptions; `after` is the last one of the batch before. */
export const lookAtFollowersFrom = defineJob(
  'look-at-followers',
  z.object({ traderId: z.uuid(), after: z.nullable(z.uuid()) }),
)

/** Daily: syncs the subscriptions to traders whose payouts are lost or who are suspended (decision G-56). */
export const lookAtLostPayouts = defineJob('look-at-lost-payouts', z.unknown())

/** Daily: syncs the subscriptions that are past due for longer than `PAST_DUE_DAYS` (decision G-33). */
export const lookAtOverdue = defineJob('look-at-overdue', z.unknown())

/** Adds a job for a subscription, unless one is waiting already. */
export function enqueueSubscription(db: Queryable, subscriptionId: string): Promise<void> {
  return enqueue(db, lookAtSubscription, { subscriptionId }, { key: `look-at:${subscriptionId}` })
}

/** Adds a job for a checkout, unless one is waiting already. */
export function enqueueCheckout(db: Queryable, key: { traderId: string; id: string }): Promise<void> {
  const { id, traderId } = key
  return enqueue(db, lookAtCheckout, { traderId, id }, { key: `look-at:${id}` })
}

/** Adds a job for a pair whose debts are due, unless one is waiting already. */
export function enqueueDebts(db: Queryable, pair: { traderId: string; subscriberId: string }): Promise<void> {
  const { subscriberId, traderId } = pair
  const key = `settle-debts:${traderId}:${subscriberId}`
  // One attempt: the rows of the debts say when they are tried again, not the queue.
  return enqueue(db, settlePairDebts, { traderId, subscriberId }, { key, maxAttempts: 1 })
}
