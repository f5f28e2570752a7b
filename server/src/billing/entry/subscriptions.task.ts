import { suspensionChanged } from '../../accounts/suspensions.jobs.ts'
import type { Clock } from '../../platform/clock.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import { healsByItself, isStripeError } from '../../stripe/stripe-errors.ts'
import { type DueWork, dueWork } from '../../work/due-rows.ts'
import { defineTask, type Task } from '../../work/jobs.ts'
import { notifyFollowers } from '../agreements/notify-followers.ts'
import { CHECKOUTS } from '../checkouts/checkouts.jobs.ts'
import { syncCheckout } from '../checkouts/sync-checkout.ts'
import { DEBTS } from '../debts/debts.jobs.ts'
import { settleDebts } from '../debts/settle-debts.ts'
import { discountCodeEnded } from '../discounts/discounts.jobs.ts'
import { payoutsChanged } from '../payouts/payouts.jobs.ts'
import { OWN_PRICES, pricesChanged } from '../prices/prices.jobs.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { withProviderLockIfFree } from '../provider/provider-lock.ts'
import {
  endOpenCheckouts,
  followEndOfCode,
  followPrices,
  followSuspension,
  lookAtEveryAgreement,
  lookAtEveryLostPayout,
  lookAtEveryOverdue,
  lookAtFollowers,
} from '../subscriptions/follow-payouts.ts'
import {
  lookAtAgreements,
  lookAtFollowersFrom,
  lookAtLostPayouts,
  lookAtOverdue,
  lookAtSubscription,
} from '../subscriptions/subscriptions.jobs.ts'
import { syncSubscription } from '../subscriptions/sync-subscription.ts'

/** A checkout that is still open is looked at again after this time. */
const LOOK_AGAIN_MS = 3_600_000
/** A pair that somebody else deals with, or of which a debt waits for another one, is looked at again after this time. */
const DEBTS_AGAIN_MS = 20_000
/** Followers who are not mailed yet, because Stripe has not put their lower price on, are looked at again after this time. */
const NOTIFY_AGAIN_MS = 3_600_000

/** The job handlers about subscriptions, for the worker's queue. */
export function subscriptionsTasks(deps: BillingDeps & { clock: Clock }): Task[] {
  const { clock, db } = deps
  return [
    defineTask(lookAtSubscription, ({ subscriptionId }) =>
      alertIfRefused(deps, subscriptionId, async () => {
        await syncSubscription(deps, subscriptionId, {}, clock.now())
      }),
    ),
    defineTask(payoutsChanged, async ({ traderId }) => {
      await lookAtFollowers(db, { traderId, after: null })
      await alertIfRefused(deps, traderId, () => endOpenCheckouts(deps, traderId, clock.now()))
    }),
    defineTask(pricesChanged, ({ traderId }) =>
      alertIfRefused(deps, traderId, () => followPrices(deps, traderId, clock.now())),
    ),
    defineTask(discountCodeEnded, (key) =>
      alertIfRefused(deps, key.traderId, () => followEndOfCode(deps, key, clock.now())),
    ),
    defineTask(suspensionChanged, ({ userId }) =>
      alertIfRefused(deps, userId, () => followSuspension(deps, userId, clock.now())),
    ),
    defineTask(lookAtOverdue, () => lookAtEveryOverdue(deps, clock.now()), { hour: 5, minute: 37 }),
    defineTask(lookAtAgreements, () => lookAtEveryAgreement(db, clock.now()), { hour: 5, minute: 23 }),
    defineTask(lookAtLostPayouts, () => lookAtEveryLostPayout(db), { hour: 5, minute: 11 }),
    defineTask(lookAtFollowersFrom, (from) => lookAtFollowers(db, from)),
  ]
}

/** Looks at checkouts, settles debts at Stripe and mails followers of prices when their time has come. The first two may hold a connection while Stripe thinks. */
export function subscriptionsWork(deps: BillingDeps & { clock: Clock }): DueWork[] {
  return [
    dueWork(deps, {
      table: CHECKOUTS,
      atOnce: 1,
      pauseMs: LOOK_AGAIN_MS,
      async handle({ id, trader_id: traderId }, now) {
        const outcome = await syncCheckout(deps, { traderId, id }, now)
        if (typeof outcome !== 'string') await syncSubscription(deps, outcome.paid, {}, now)
      },
    }),
    dueWork(deps, {
      table: DEBTS,
      atOnce: 1,
      pauseMs: DEBTS_AGAIN_MS,
      handle: ({ subscriber_id: subscriberId, trader_id: traderId }, now) =>
        settleDebts(deps, { traderId, subscriberId }, now, withProviderLockIfFree),
    }),
    dueWork(deps, {
      table: OWN_PRICES,
      atOnce: 1,
      pauseMs: NOTIFY_AGAIN_MS,
      handle: ({ trader_id: traderId }, now) => notifyFollowers(deps, traderId, now),
    }),
  ]
}

/**
 * Runs a job. When Stripe refuses a call for a reason that does not pass without help, the operator is mailed too, once a
 * day over all jobs. The error is thrown on in any case, so that the queue tries again.
 * @param about the id that the mail names
 */
async function alertIfRefused(
  { clock, db }: BillingDeps & { clock: Clock },
  about: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const limit = { key: 'alert:unread-subscriptions', max: 1, windowSeconds: 86_400 }
    const refused = isStripeError(error) && !healsByItself(error)
    const now = clock.now()
    if (refused && (await overLimit(db, limit, now)) === null)
      await alertOperator(db, 'Stripe refuses a read', about, now)
    throw error
  }
}
