import { webPaths } from '@tradepost/contract/web-paths'
import { refusal } from '../../platform/http/refusal.ts'
import { createPortalLink } from '../../stripe/portal.ts'
import { isMissing } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { findPlatform } from '../provider/platform.queries.ts'
import { findCustomer, forgetCustomer } from './customers.queries.ts'

/**
 * A way into the billing portal: cards, invoices, cancelling. One that Stripe has lost is forgotten and not made again
 * here: the portal of a new customer would show no subscriptions.
 * @param flow.cancelSubscription leads straight to ending this subscription, by its id at Stripe
 * @returns the address, made for this person and soon worthless
 * @throws customer_required, payment_refused, payment_provider_error
 */
export async function openPortal(
  deps: BillingDeps,
  person: { userId: string },
  now: Date,
  flow: { cancelSubscription?: string } = {},
): Promise<string> {
  const { db, settings } = deps
  const customer = await findCustomer(db, person.userId)
  if (!customer?.stripeCustomerId) throw refusal('customer_required')
  const { stripeCustomerId } = customer
  const platform = await findPlatform(db)
  const way = {
    customer: stripeCustomerId,
    configuration: platform?.portalConfigurationId ?? null,
    returnUrl: `${settings.origin}${webPaths.account}?portal=return#subscriptions`,
    ...flow,
  }
  return callStripe(deps, now, async () => {
    try {
      return await createPortalLink(deps, way)
    } catch (error) {
      if (!isMissing(error, 'customer')) throw error
      await forgetCustomer(db, person.userId, stripeCustomerId, now)
      throw refusal('customer_required')
    }
  })
}
