import { refusal } from '../platform/http/refusal.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { findPayoutAccount } from './payout-accounts.queries.ts'
import { isReady } from './payout-status.ts'
import { askStripe, isRefused } from './stripe-client.ts'
import { syncAccount } from './sync-account.ts'

/**
 * A way into the trader's own dashboard at Stripe: balance, payouts, bank account.
 * @returns the address, made for this trader and soon worthless
 * @throws onboarding_incomplete, payment_provider_error
 */
export async function openDashboard(
  deps: PaymentsDeps,
  person: { userId: string },
  now: Date,
): Promise<string> {
  const account = await findPayoutAccount(deps.db, person.userId)
  const id = account?.stripeAccountId
  if (!account || !id || !isReady(account)) throw refusal('onboarding_incomplete')
  return askStripe(deps.log, async () => {
    try {
      return (await deps.stripe.accounts.createLoginLink(id)).url
    } catch (error) {
      if (!isRefused(error)) throw error
      const read = await syncAccount(deps, id, now)
      if (read && !isReady(read)) throw refusal('onboarding_incomplete')
      throw error
    }
  })
}
