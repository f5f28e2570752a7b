import { payoutsChanged } from '../payments/payments.jobs.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import type { Clock } from '../platform/clock.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { endOpenCheckouts, lookAtEveryLostPayout, lookAtFollowers } from './follow-payouts.ts'
import {
  lookAtCheckout,
  lookAtFollowersFrom,
  lookAtLostPayouts,
  lookAtSubscription,
} from './subscriptions.jobs.ts'
import { syncCheckout } from './sync-checkout.ts'
import { syncSubscription } from './sync-subscription.ts'

/** What subscriptions do behind the answers. */
export function subscriptionsTasks(deps: PaymentsDeps & { clock: Clock }): Task[] {
  const { clock, db } = deps
  return [
    defineTask(lookAtSubscription, async ({ subscriptionId }) => {
      await syncSubscription(deps, subscriptionId, {}, clock.now())
    }),
    defineTask(lookAtCheckout, (key) => syncCheckout(deps, key, clock.now())),
    defineTask(payoutsChanged, async ({ traderId }) => {
      await endOpenCheckouts(deps, traderId, clock.now())
      await lookAtFollowers(db, { traderId, after: null })
    }),
    defineTask(lookAtLostPayouts, () => lookAtEveryLostPayout(db)),
    defineTask(lookAtFollowersFrom, (from) => lookAtFollowers(db, from)),
  ]
}
