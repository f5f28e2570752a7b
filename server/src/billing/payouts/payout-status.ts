import type { TaxLiable } from '@tradepost/contract/tax'

/** The state of a payout account at Stripe, as it was last read. */
type AccountState = { transfersStatus: string; closedAt: Date | null }

/** Whether payouts are set up: the account's transfers capability is active and it was not closed (rule G-29). */
export function isReady(account: AccountState | null): boolean {
  return account !== null && account.transfersStatus === 'active' && account.closedAt === null
}

/**
 * Whether new subscriptions are held up by tax settings that the trader has not filled in at Stripe (rule G-131).
 * @param taxLiable of the settings
 */
export function lacksTaxSettings(
  taxLiable: TaxLiable | null,
  account: { taxReady: boolean | null } | null,
): boolean {
  return taxLiable === 'trader' && account?.taxReady !== true
}

/**
 * Whether Stripe, or the operator at Stripe, has rejected the account, which nothing that the trader does there changes
 * (docs.stripe.com/changelog/endive/2026-09-30/rejected-accounts-v2-capabilities).
 */
export function isRejected(account: AccountState): boolean {
  return account.transfersStatus === 'rejected' && account.closedAt === null
}
