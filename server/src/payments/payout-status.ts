import type { Queryable } from '../platform/database.ts'
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
