import { refusal } from '../../platform/http/refusal.ts'
import { createDashboardLink } from '../../stripe/accounts.ts'
import { isRefused } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { findPayoutAccount, type PayoutAccount } from './payout-accounts.queries.ts'
import { isReady, isRejected } from './payout-status.ts'
import { syncAccount } from './sync-account.ts'

/**
 * A way into the trader's own dashboard at Stripe: balance, payouts, bank account.
 * @returns the address, made for this trader and soon worthless
 * @throws onboarding_incomplete, payouts_rejected, payment_refused, payment_provider_error
 */
export async function openDashboard(
  deps: BillingDeps,
  person: { userId: string },
  now: Date,
): Promise<string> {
  const account = await findPayoutAccount(deps.db, person.userId)
  const id = account?.stripeAccountId
  if (!account || !id) throw refusal('onboarding_incomplete')
  checkReady(account)
  return callStripe(deps, now, async () => {
    try {
      return await createDashboardLink(deps, id)
    } catch (error) {
      if (!isRefused(error)) throw error
      const read = await syncAccount(deps, id, now)
      if (read) checkReady(read)
      throw error
    }
  })
}

function checkReady(account: PayoutAccount): void {
  if (isRejected(account)) throw refusal('payouts_rejected')
  if (!isReady(account)) throw refusal('onboarding_incomplete')
}
