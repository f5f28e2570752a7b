import { WITH_DISCOUNTS } from './discounts.ts'
import { sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'
import { readSubscription, type StripeSubscription } from './subscriptions.ts'
import { INCLUDES_TAX } from './tax.ts'

/**
 * Changes what a subscription renews at. The running period keeps what was paid for it, a renewal that is a draft its amount
 * (docs.stripe.com/billing/subscriptions/change-price). Safe to repeat.
 * @param to a price by its id; or an amount in cents, for which Stripe makes a price that nobody else can be sold: a former price of the
 *   trader's is closed, and Stripe puts no closed one on
 * @returns how it is then
 * @throws what Stripe throws
 */
export async function putPriceOn(
  deps: StripeDeps,
  { currency, id, interval, itemId, productId }: StripeSubscription,
  to: { priceId: string } | { cents: number },
): Promise<StripeSubscription> {
  const price =
    'priceId' in to
      ? { price: to.priceId }
      : {
          price_data: {
            currency,
            product: productId,
            unit_amount: to.cents,
            recurring: { interval },
            ...INCLUDES_TAX,
          },
        }
  const changed = await sdkOf(deps).subscriptions.update(id, {
    items: [{ id: itemId, ...price }],
    proration_behavior: 'none',
    ...WITH_DISCOUNTS,
  })
  return readSubscription(changed)
}
