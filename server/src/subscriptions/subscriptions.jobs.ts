import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { defineJob, enqueue } from '../platform/queue.ts'

/** Brings a subscription, by Stripe's id, in line with Stripe. */
export const lookAtSubscription = defineJob('look-at-subscription', z.object({ subscriptionId: z.string() }))

/** Brings an open checkout in line with Stripe. */
export const lookAtCheckout = defineJob('look-at-checkout', z.object({ traderId: z.uuid(), id: z.uuid() }))

/** The next batch of those who pay for following a trader. */
export const lookAtFollowersFrom = defineJob(
  'look-at-followers',
  z.object({ traderId: z.uuid(), after: z.nullable(z.uuid()) }),
)

/** Daily: whoever pays for a trader whose payouts are gone. */
export const lookAtLostPayouts = defineJob('look-at-lost-payouts', z.unknown())

/** Once for each subscription that waits to be looked at. */
export function enqueueSubscription(db: Queryable, subscriptionId: string): Promise<void> {
  return enqueue(db, lookAtSubscription, { subscriptionId }, { key: `look-at:${subscriptionId}` })
}

/** Once for each checkout that waits to be looked at. */
export function enqueueCheckout(db: Queryable, key: { traderId: string; id: string }): Promise<void> {
  const { id, traderId } = key
  return enqueue(db, lookAtCheckout, { traderId, id }, { key: `look-at:${id}` })
}
