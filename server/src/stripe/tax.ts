import type { TaxLiable } from '@tradepost/contract/tax'
import type Stripe from 'stripe'
import type { Patience } from './accounts.ts'
import { sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps } from './stripe-client.ts'

/** Prices include their tax, so that a price is what one pays wherever one lives (ADR 0135). Stripe never changes it once it is set. */
export const INCLUDES_TAX = { tax_behavior: 'inclusive' } as const

/**
 * The parameters of a checkout whose tax Stripe computes: its page asks for the address and, of a business, the tax number, and keeps both at
 * the customer for renewals (docs.stripe.com/tax/checkout).
 * @param liable owes the tax to the authorities; null for no tax
 * @param destination the trader's account
 */
export function checkoutTax(
  liable: TaxLiable | null,
  destination: string,
): Pick<
  Stripe.Checkout.SessionCreateParams,
  'automatic_tax' | 'billing_address_collection' | 'customer_update' | 'tax_id_collection'
> {
  if (liable === null) return {}
  return {
    automatic_tax: { enabled: true, liability: partyOf(liable, destination) },
    billing_address_collection: 'required',
    customer_update: { address: 'auto', name: 'auto' },
    tax_id_collection: { enabled: true },
  }
}

/** The party that owes the tax issues the invoice, which is the tax document in the European Union (docs.stripe.com/tax/tax-for-marketplaces). */
export function issuerOf(
  liable: TaxLiable | null,
  destination: string,
): Pick<Stripe.Checkout.SessionCreateParams.SubscriptionData, 'invoice_settings'> {
  return liable === null ? {} : { invoice_settings: { issuer: partyOf(liable, destination) } }
}

function partyOf(
  liable: TaxLiable,
  account: string,
): { type: 'self' } | { type: 'account'; account: string } {
  return liable === 'platform' ? { type: 'self' } : { type: 'account', account }
}

/**
 * Whether an account's tax settings have all that Stripe needs to compute a tax, as its place of business.
 * @param account a trader's; null for the platform's own
 * @throws what Stripe throws
 */
export async function hasTaxSettings(
  deps: Pick<StripeDeps, 'stripe'>,
  account: string | null,
  patience?: Patience,
): Promise<boolean> {
  const whose = account === null ? {} : { stripeAccount: account }
  const { status } = await sdkOf(deps).tax.settings.retrieve({}, { ...whose, ...patience })
  return status === 'active'
}

/** Has all prices of this deployment include their tax that were made before that was said with each. Safe to repeat. @throws what Stripe throws */
export async function includeTaxInPrices(deps: StripeDeps): Promise<void> {
  const { prices } = sdkOf(deps)
  for (const active of [true, false])
    for await (const { id, metadata, tax_behavior: behavior } of prices.list({ active, limit: 100 }))
      if (isOurs(deps.settings, metadata) && (behavior === null || behavior === 'unspecified'))
        await prices.update(id, INCLUDES_TAX)
}
