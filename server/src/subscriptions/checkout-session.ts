import { webPaths } from '@tradepost/contract/web-paths'
import type Stripe from 'stripe'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { stripeMark } from '../stripe/stripe-client.ts'
import { subscriptionTerms } from '../stripe/subscription-terms.ts'
import type { Checkout } from './checkout-sessions.queries.ts'

/**
 * Opens the page on which a checkout is paid: a month at a time, by card, hosted by Stripe. Says the same at every try,
 * under the same key, so that there is one page however often it is asked for. When it ends is left to Stripe, whose clock
 * decides it.
 * @throws what Stripe throws
 */
export async function openCheckoutPage(
  { settings, stripe }: PaymentsDeps,
  checkout: Checkout,
  parties: { customer: string; destination: string; trader: string },
): Promise<Stripe.Checkout.Session> {
  const { destination } = parties
  const terms = subscriptionTerms(settings, checkout, { destination, feePercent: checkout.feePercent })
  const metadata = { ...terms.metadata, checkout_id: checkout.id }
  return stripe.checkout.sessions.create(
    {
      mode: 'subscription',
      ui_mode: 'hosted_page',
      customer: parties.customer,
      client_reference_id: checkout.id,
      line_items: [{ price: checkout.stripePriceId, quantity: 1 }],
      allowed_payment_method_types: ['card'],
      // The metadata on the subscription too: what Stripe tells of it may come before anything else.
      subscription_data: { ...terms, metadata },
      metadata,
      ...pages(settings.origin, parties.trader),
    },
    { idempotencyKey: `cs:${stripeMark(settings).env}:${checkout.id}` },
  )
}

/** Where the browser comes back to. Stripe fills the braces in, so they may not be encoded. */
function pages(origin: string, trader: string): { success_url: string; cancel_url: string } {
  const success = `${origin}${webPaths.paymentSuccess}?trader=${encodeURIComponent(trader)}`
  return {
    success_url: `${success}&session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}${webPaths.subscribe(trader)}?canceled=1`,
  }
}
