import { findUsername } from '../../accounts/accounts.queries.ts'
import { emailChanged } from '../../auth/email-change/email-changed.jobs.ts'
import type { Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { isLasting } from '../../stripe/stripe-errors.ts'
import { type DueWork, dueWork } from '../../work/due-rows.ts'
import { defineTask, type Task } from '../../work/jobs.ts'
import { CUSTOMERS } from '../customers/customers.jobs.ts'
import { followEmail } from '../customers/follow-email.ts'
import { finishCustomerSetUp } from '../customers/set-up-customer.ts'
import { finishPayoutAccount } from '../payouts/open-payout-account.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { PAYOUT_ACCOUNTS } from '../payouts/payouts.jobs.ts'
import { syncAccount } from '../payouts/sync-account.ts'
import { prepareTraderPrice } from '../prices/prices.jobs.ts'
import { ensureTraderPrices } from '../prices/trader-price.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe, notifyOfRefusal } from '../provider/call-stripe.ts'
import { FIRST_RETRY_MS } from '../provider/make-once.ts'

/** Jobs of payments, behind the answers. */
export function paymentsTasks(deps: BillingDeps & { clock: Clock }): Task[] {
  return [
    defineTask(prepareTraderPrice, ({ traderId }) => preparePrice(deps, traderId, deps.clock.now())),
    defineTask(emailChanged, ({ userId }) => followEmail(deps, userId, deps.clock.now())),
  ]
}

/** Finishes what requests began, and reads again what is due. Neither holds a connection while Stripe thinks. */
export function paymentsWork(deps: BillingDeps & { clock: Clock }): DueWork[] {
  const often = { atOnce: 2, pauseMs: FIRST_RETRY_MS }
  return [
    dueWork(deps, {
      ...often,
      table: CUSTOMERS,
      handle: ({ user_id: userId }, now) => orLater(() => finishCustomerSetUp(deps, userId, now)),
    }),
    dueWork(deps, {
      ...often,
      table: PAYOUT_ACCOUNTS,
      handle: ({ user_id: userId }, now) =>
        orLater(() => callStripe(deps, now, () => tend(deps, userId, now))),
    }),
  ]
}

async function tend(deps: BillingDeps, userId: string, now: Date): Promise<void> {
  const account = await findPayoutAccount(deps.db, userId)
  const username = await findUsername(deps.db, userId)
  if (!account || !username) return
  if (account.stripeAccountId) await syncAccount(deps, account.stripeAccountId, now)
  else await finishPayoutAccount(deps, { userId, username }, account, now)
}

/** A price that Stripe refuses is asked for again by each checkout, so trying for days here would add nothing. */
async function preparePrice(deps: BillingDeps, traderId: string, now: Date): Promise<void> {
  const username = await findUsername(deps.db, traderId)
  if (!username) return
  try {
    await ensureTraderPrices(deps, { userId: traderId, username }, now)
  } catch (error) {
    if (!isLasting(error)) throw error
    await notifyOfRefusal(deps.db, error, now)
  }
}

/** Leaves due what Stripe did not do, so that it comes again. */
async function orLater(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
