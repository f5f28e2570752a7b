/** The state of a payout account at Stripe, as it was last read. */
type AccountState = { transfersStatus: string; closedAt: Date | null }

/** Whether payouts are set up: the account's transfers capability is active and it was not closed (rule G-29). */
export function isReady(account: AccountState | null): boolean {
  return account !== null && account.transfersStatus === 'active' && account.closedAt === null
}

/**
 * Whether Stripe, or the operator at Stripe, has rejected the account, which nothing that the trader does there changes
 * (docs.stripe.com/changelog/endive/2026-09-30/rejected-accounts-v2-capabilities).
 */
export function isRejected(account: AccountState): boolean {
  return account.transfersStatus === 'rejected' && account.closedAt === null
}
