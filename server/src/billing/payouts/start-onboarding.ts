import { webPaths } from '@tradepost/contract/web-paths'
import { requireUsername } from '../../accounts/require-username.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { createOnboardingLink } from '../../stripe/accounts.ts'
import { isRefused } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { type OpenPayoutAccount, openPayoutAccount } from './open-payout-account.ts'
import { isReady, isRejected } from './payout-status.ts'
import { syncAccount } from './sync-account.ts'

/**
 * Starts the set-up of payouts or goes on with it: the trader's account, and a new link into Stripe's own pages at every
 * call, since a link works once and for minutes only (docs.stripe.com/connect/hosted-onboarding). Coming back from there
 * proves nothing; what was achieved is read from Stripe.
 * @returns the address of those pages
 * @throws username_required, already_onboarded, payouts_rejected, payment_refused, payment_provider_error
 */
export async function startOnboarding(
  deps: BillingDeps,
  caller: { userId: string },
  now: Date,
): Promise<string> {
  const username = await requireUsername(deps.db, caller.userId)
  const trader = { userId: caller.userId, username }
  return callStripe(deps, now, async () => {
    // A second round when the account was closed in the meantime.
    for (let round = 0; round < 2; round += 1) {
      const account = await openPayoutAccount(deps, trader, now)
      if (isReady(account)) throw refusal('already_onboarded')
      if (isRejected(account)) throw refusal('payouts_rejected')
      const url = await makeLink(deps, account, now)
      if (url !== null) return url
    }
    throw refusal('payment_provider_error')
  })
}

/** @returns null when the account turned out to be closed @throws payouts_rejected */
async function makeLink(deps: BillingDeps, account: OpenPayoutAccount, now: Date): Promise<string | null> {
  // A page, not a call: the browser comes back without a token (rule G-76).
  const page = (onboarding: string) =>
    `${deps.settings.origin}${webPaths.account}?onboarding=${onboarding}#payments`
  try {
    return await createOnboardingLink(deps, account.stripeAccountId, {
      refresh: page('refresh'),
      return: page('return'),
    })
  } catch (error) {
    if (!isRefused(error)) throw error
    const read = await syncAccount(deps, account.stripeAccountId, now)
    if (read?.closedAt) return null
    if (read && isRejected(read)) throw refusal('payouts_rejected')
    throw error
  }
}
