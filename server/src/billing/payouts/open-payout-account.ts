import { PAYOUT_TERMS_VERSION } from '@tradepost/contract/payout-texts'
import { findUser } from '../../auth/users/users.queries.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { createAccount, retrieveOwnAccount } from '../../stripe/accounts.ts'
import { enqueue } from '../../work/jobs.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { FIRST_RETRY_MS, makeOnce } from '../provider/make-once.ts'
import { findPayoutAccount, type PayoutAccount } from './payout-accounts.queries.ts'
import {
  hasPayingSubscribers,
  raisePayoutGeneration,
  replaceClosedAccount,
  requestPayoutAccount,
  storeCountry,
  storePayoutAccount,
} from './payout-requests.queries.ts'
import { payoutsChanged } from './payouts.jobs.ts'

/** An account that is open but not onboarded yet is looked at automatically after this time; its events come first. */
const LOOK_AFTER_OPENING_MS = 6 * 3_600_000

type Trader = { userId: string; username: string }
export type OpenPayoutAccount = PayoutAccount & { stripeAccountId: string }

/**
 * The account at Stripe that receives a trader's money, opened if there is none (rule G-54). The terms agreed to and
 * their time are kept from the first call on (G-51). Safe to repeat and to race (`makeOnce`). In the place of a closed
 * account a new one is opened, as soon as nobody pays to the closed one any more.
 * @throws what Stripe throws, and payment_provider_error while somebody still pays to a closed account
 */
export async function openPayoutAccount(
  deps: BillingDeps,
  trader: Trader,
  now: Date,
): Promise<OpenPayoutAccount> {
  return finishPayoutAccount(deps, trader, await wantAccount(deps, trader.userId, now), now)
}

/** Opens an account that was asked for. @throws what Stripe throws */
export async function finishPayoutAccount(
  deps: BillingDeps,
  trader: Trader,
  wanted: PayoutAccount,
  now: Date,
): Promise<OpenPayoutAccount> {
  const { db } = deps
  const { generation, userId } = wanted
  if (isOpen(wanted)) return wanted
  const country = await settleCountry(deps, wanted)
  const lookAt = new Date(now.getTime() + LOOK_AFTER_OPENING_MS)
  return makeOnce({
    async create() {
      const email = (await findUser(db, userId))?.email ?? ''
      return createAccount(deps, { userId, generation, country, email, name: `@${trader.username}` })
    },
    // Before anything else is asked of it: an account that nobody remembers could be onboarded and never be found.
    store: (stripeAccountId) => storePayoutAccount(db, { userId, generation, stripeAccountId }, lookAt),
    raiseGeneration: () => raisePayoutGeneration(db, { userId, generation }),
    async read() {
      const stored = await need(db, userId)
      return isOpen(stored) ? stored : null
    },
  })
}

function isOpen(account: PayoutAccount): account is OpenPayoutAccount {
  return account.stripeAccountId !== null
}

async function wantAccount({ db }: BillingDeps, userId: string, now: Date): Promise<PayoutAccount> {
  const lookAt = new Date(now.getTime() + FIRST_RETRY_MS)
  await requestPayoutAccount(db, { userId, termsVersion: PAYOUT_TERMS_VERSION, lookAt }, now)
  const account = await need(db, userId)
  if (!account.closedAt) return account
  await withTransaction(db, async (tx) => {
    if (!(await hasPayingSubscribers(tx, userId))) await replaceClosedAccount(tx, account, lookAt)
    else await enqueue(tx, payoutsChanged, { traderId: userId }, { key: `payouts-changed:${userId}` })
  })
  const after = await need(db, userId)
  if (after.closedAt) throw refusal('payment_provider_error')
  return after
}

async function need(db: BillingDeps['db'], userId: string): Promise<PayoutAccount> {
  const account = await findPayoutAccount(db, userId)
  if (!account) throw new Error('the payout account is gone')
  return account
}

/**
 * A destination charge without settlement across borders wants the trader where the platform is
 * (docs.stripe.com/connect/destination-charges). Kept, since every try has to send the same.
 */
async function settleCountry(deps: BillingDeps, wanted: PayoutAccount): Promise<string> {
  const { db } = deps
  if (wanted.country !== null) return wanted.country
  const { country } = await retrieveOwnAccount(deps)
  if (!country) throw new Error('the platform has no country at Stripe')
  await storeCountry(db, wanted.userId, country)
  return (await need(db, wanted.userId)).country ?? country
}
