import type { Queryable } from '../../platform/database.ts'
import { findPayoutAccount, type PayoutAccount } from './payout-accounts.queries.ts'

/** Whether payouts are set up: the account's transfers capability is active and it was not closed (decision G-29). */
export async function isOnboardComplete(db: Queryable, userId: string): Promise<boolean> {
  const account = await findPayoutAccount(db, userId)
  return account !== null && isReady(account)
}

/** The same of an account that is at hand. */
export function isReady(account: Pick<PayoutAccount, 'transfersStatus' | 'closedAt'>): boolean {
  return account.transfersStatus === 'active' && account.closedAt === null
}

/**
 * Whether Stripe, or the operator at Stripe, has rejected the account, which nothing that the trader does there changes
 * (docs.stripe.com/changelog/endive/2026-09-30/rejected-accounts-v2-capabilities).
 */
export function isRejected(account: Pick<PayoutAccount, 'transfersStatus' | 'closedAt'>): boolean {
  return account.transfersStatus === 'rejected' && account.closedAt === null
}
