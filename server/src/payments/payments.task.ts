import { findUsername } from '../accounts/accounts.queries.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { defineTask, type Task } from '../work/jobs.ts'
import { askStripe, isLasting, tellOfRefusal } from './ask-stripe.ts'
import { finishPayoutAccount } from './open-payout-account.ts'
import { finishCustomer, prepareTraderPrice, tendPayoutAccount } from './payments.jobs.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { findPayoutAccount } from './payout-accounts.queries.ts'
import { finishCustomerSetUp } from './set-up-customer.ts'
import { syncAccount } from './sync-account.ts'
import { ensureTraderPrice } from './trader-price.ts'

/** What payments do behind the answers. */
export function paymentsTasks(deps: PaymentsDeps & { clock: Clock }): Task[] {
  const { clock } = deps
  return [
    defineTask(finishCustomer, ({ userId }) =>
      orNextSweep(() => finishCustomerSetUp(deps, userId, clock.now())),
    ),
    defineTask(tendPayoutAccount, ({ userId }) =>
      orNextSweep(() => askStripe(deps, clock.now(), () => tend(deps, userId, clock.now()))),
    ),
    defineTask(prepareTraderPrice, ({ traderId }) => preparePrice(deps, traderId, clock.now())),
  ]
}

async function tend(deps: PaymentsDeps, userId: string, now: Date): Promise<void> {
  const account = await findPayoutAccount(deps.db, userId)
  const username = await findUsername(deps.db, userId)
  if (!account || !username) return
  if (account.stripeAccountId) await syncAccount(deps, account.stripeAccountId, now)
  else await finishPayoutAccount(deps, { userId, username }, account, now)
}

/** A price that Stripe refuses is asked for again by each checkout, so trying for days here would add nothing. */
async function preparePrice(deps: PaymentsDeps, traderId: string, now: Date): Promise<void> {
  const username = await findUsername(deps.db, traderId)
  if (!username) return
  try {
    await ensureTraderPrice(deps, { userId: traderId, username }, now)
  } catch (error) {
    if (!isLasting(error)) throw error
    await tellOfRefusal(deps.db, error, now)
  }
}

/** The row says when the next sweep comes back for what Stripe did not do, so the job is done either way. */
async function orNextSweep(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
