import { webPaths } from '@tradepost/contract/web-paths'
import type Stripe from 'stripe'
import { refusal } from '../platform/http/refusal.ts'
import { isMissing } from '../stripe/stripe-client.ts'
import { askStripe } from './ask-stripe.ts'
import { findCustomer } from './customers.queries.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { findPlatform } from './platform.queries.ts'
import { forgetCustomer } from './set-up-customer.ts'

/**
 * A way into the billing portal: cards, invoices, cancelling. One that Stripe has lost is forgotten and not made again
 * here: the portal of a new customer would say that there are no subscriptions.
 * @param flow.cancelSubscription leads straight to ending this subscription, by its id at Stripe
 * @returns the address, made for this person and soon worthless
 * @throws customer_required, payment_refused, payment_provider_error
 */
export async function openPortal(
  deps: PaymentsDeps,
  person: { userId: string },
  now: Date,
  flow: { cancelSubscription?: string } = {},
): Promise<string> {
  const { db, settings, stripe } = deps
  const customer = await findCustomer(db, person.userId)
  if (!customer?.stripeCustomerId) throw refusal('customer_required')
  const { stripeCustomerId } = customer
  const platform = await findPlatform(db)
  const session: Stripe.BillingPortal.SessionCreateParams = {
    customer: stripeCustomerId,
    return_url: `${settings.origin}${webPaths.account}?portal=return#subscriptions`,
    ...(platform?.portalConfigurationId && { configuration: platform.portalConfigurationId }),
    ...(flow.cancelSubscription && {
      flow_data: {
        type: 'subscription_cancel',
        subscription_cancel: { subscription: flow.cancelSubscription },
      },
    }),
  }
  return askStripe(deps, now, async () => {
    try {
      return (await stripe.billingPortal.sessions.create(session)).url
    } catch (error) {
      if (!isMissing(error, 'customer')) throw error
      await forgetCustomer(db, person.userId, stripeCustomerId, now)
      throw refusal('customer_required')
    }
  })
}
