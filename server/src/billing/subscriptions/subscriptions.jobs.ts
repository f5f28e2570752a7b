import * as z from 'zod'
import type { Queryable } from '../../platform/database/queryable.ts'
import { defineJob, enqueue } from '../../work/jobs.ts'

/** Brings a subscription, by Stripe's id, in line with Stripe. */
export const lookAtSubscription = defineJob('look-at-subscription', z.object({ subscriptionId: z.string() }))

/** Syncs the next batch of a trader's subscriptions; `after` is the last one of the batch before. */
export const lookAtFollowersFrom = defineJob(
  'look-at-followers',
  z.object({ traderId: z.uuid(), after: z.nullable(z.uuid()) }),
)

/** Daily: syncs the subscriptions to traders whose payouts are lost or who are suspended (rule G-56). */
export const lookAtLostPayouts = defineJob('look-at-lost-payouts', z.unknown())

/** Daily: syncs the subscriptions that are past due for longer than `PAST_DUE_DAYS` (rule G-33). */
export const lookAtOverdue = defineJob('look-at-overdue', z.unknown())

/** Daily: syncs the subscriptions whose agreed price is due (rule G-122). */
export const lookAtAgreements = defineJob('look-at-agreements', z.unknown())

/** Adds a job for a subscription, unless one is waiting already. */
export function enqueueSubscription(db: Queryable, subscriptionId: string): Promise<void> {
  return enqueue(db, lookAtSubscription, { subscriptionId }, { key: `look-at:${subscriptionId}` })
}
