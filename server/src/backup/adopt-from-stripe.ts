import { PAYOUT_TERMS_VERSION } from '@tradepost/contract/payout-texts'
import { findUser } from '../auth/users/users.queries.ts'
import { findUserOfCustomer, requestCustomer, storeCustomer } from '../billing/customers/customers.queries.ts'
import { findPayoutAccount } from '../billing/payouts/payout-accounts.queries.ts'
import { requestPayoutAccount, storePayoutAccount } from '../billing/payouts/payout-requests.queries.ts'
import type { BillingDeps } from '../billing/provider/billing-deps.ts'
import { eachAccount } from '../stripe/accounts.ts'
import { eachCustomer } from '../stripe/customers.ts'

/** @property strangers customers and accounts of people who are not in this database: they came after the backup */
export type Adopted = { customers: number; accounts: number; strangers: number }

/** Stripe dates in whole seconds, by its own clock. */
const CLOCKS_DIFFER_MS = 10 * 60_000

/**
 * Stores again the customers and payout accounts that were made after the backup: without their rows nobody would be found for
 * Stripe's events about them, and for their payments (ADR 0013). Safe to repeat.
 * @param since the backup's moment
 * @throws what Stripe throws
 */
export async function adoptFromStripe(deps: BillingDeps, since: Date, now: Date): Promise<Adopted> {
  const adopted: Adopted = { customers: 0, accounts: 0, strangers: 0 }
  const from = new Date(since.getTime() - CLOCKS_DIFFER_MS)
  for await (const { id, userId } of eachCustomer(deps, from)) {
    if (!(await findUser(deps.db, userId))) adopted.strangers += 1
    else if (await adoptCustomer(deps, { userId, stripeCustomerId: id }, now)) adopted.customers += 1
  }
  for await (const { id, openedAt: opened, userId } of eachAccount(deps)) {
    if (!(await findUser(deps.db, userId))) adopted.strangers += 1
    else if (await adoptAccount(deps, { userId, stripeAccountId: id, opened }, now)) adopted.accounts += 1
  }
  return adopted
}

async function adoptCustomer(
  { db }: BillingDeps,
  { stripeCustomerId, userId }: { userId: string; stripeCustomerId: string },
  now: Date,
): Promise<boolean> {
  if (await findUserOfCustomer(db, stripeCustomerId)) return false
  const { generation, state } = await requestCustomer(db, userId, now, now)
  if (state === 'ready') return false
  await storeCustomer(db, { userId, generation, stripeCustomerId })
  return true
}

/** A trader with an account at Stripe agreed to the terms when it was opened. */
async function adoptAccount(
  { db }: BillingDeps,
  { opened, stripeAccountId, userId }: { userId: string; stripeAccountId: string; opened: Date },
  now: Date,
): Promise<boolean> {
  if ((await findPayoutAccount(db, userId))?.stripeAccountId) return false
  await requestPayoutAccount(db, { userId, termsVersion: PAYOUT_TERMS_VERSION, lookAt: now }, opened)
  const { generation } = (await findPayoutAccount(db, userId)) ?? { generation: 0 }
  await storePayoutAccount(db, { userId, generation, stripeAccountId }, now)
  return true
}
