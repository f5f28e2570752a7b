import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { type DueTable, makeDue } from '../work/due-rows.queries.ts'
import { defineJob, enqueue } from '../work/jobs.ts'

/** Open checkouts, due when Stripe is asked what has become of them. */
export const CHECKOUTS = {
  name: 'checkout_sessions',
  key: { trader_id: 'uuid', id: 'uuid' },
  dueAt: 'look_at',
  earlierJob: 'look-at-checkout',
} as const satisfies DueTable

/** Pairs with open debts, due when one of these is tried. */
export const DEBTS = {
  name: 'debts',
  key: { trader_id: 'uuid', subscriber_id: 'uuid' },
  dueAt: 'due_at',
  // The run that deals with the pair settles all that is due of it.
  keepsTimes: true,
  // The version before queues a job for a pair of which a debt is due already; its other debts keep their times.
  mayBeMadeDue: 'false',
  earlierJob: 'settle-debts',
} as const satisfies DueTable

/** Brings a subscription, by Stripe's id, in line with Stripe. */
export const lookAtSubscription = defineJob('look-at-subscription', z.object({ subscriptionId: z.string() }))

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

/** Has an open checkout looked at at once. */
export function lookAtCheckout(
  db: Queryable,
  { id, traderId }: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  return makeDue(db, CHECKOUTS, [traderId, id], now)
}
