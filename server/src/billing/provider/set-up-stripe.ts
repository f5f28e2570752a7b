import { setUpPortal } from '../../stripe/portal.ts'
import { setUpAccountsWebhook, setUpPlatformWebhook } from '../../stripe/set-up-webhooks.ts'
import { hasTaxSettings, includeTaxInPrices } from '../../stripe/tax.ts'
import type { BillingDeps } from './billing-deps.ts'
import { insertPlatform, storePortalConfiguration } from './platform.queries.ts'
import { checkOpenedAccount, readOpenedAccount } from './verify-stripe-account.ts'

/** Stripe computes no tax for an account without a place of business. */
export class TaxNotSetUp extends Error {
  constructor() {
    super(
      'TAX=platform needs Stripe Tax: fill in https://dashboard.stripe.com/settings/tax with your head office, add the places where you are ' +
        'registered, and run `npm run stripe:setup` again.',
    )
  }
}

/** Signing secrets of endpoints that are new, shown once; null for those that were there. */
export type NewSecrets = { platform: string | null; accounts: string | null }

/**
 * Puts into the Stripe account what the product needs there: webhooks to us, and the billing portal. Safe to repeat:
 * what is there is brought up to date, what is ours and too many goes, what is not ours is left alone.
 * @param origin where Stripe reaches this deployment; null when it cannot, then webhooks are left as they are
 * @throws ForeignStripeAccount when the database belongs to another account, and what Stripe throws
 */
export async function setUpStripe(
  deps: Pick<BillingDeps, 'db' | 'settings' | 'stripe'>,
  origin: string | null,
  now: Date,
): Promise<NewSecrets> {
  if (!(await checkOpenedAccount(deps))) await insertPlatform(deps.db, await readOpenedAccount(deps), now)
  await storePortalConfiguration(deps.db, await setUpPortal(deps))
  if (deps.settings.taxLiable !== null) await includeTaxInPrices(deps)
  if (origin === null) return { platform: null, accounts: null }
  return {
    platform: await setUpPlatformWebhook(deps, origin),
    accounts: await setUpAccountsWebhook(deps, origin),
  }
}

/** Makes sure that Stripe can compute the platform's tax, where it owes one. @throws TaxNotSetUp, and what Stripe throws */
export async function requireTaxSettings(deps: Pick<BillingDeps, 'settings' | 'stripe'>): Promise<void> {
  if (deps.settings.taxLiable === 'platform' && !(await hasTaxSettings(deps, null))) throw new TaxNotSetUp()
}
