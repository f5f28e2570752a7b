import { acceptanceSentence } from '@tradepost/contract/consent'
import type { TaxLiable } from '@tradepost/contract/tax'
import { webPaths } from '@tradepost/contract/web-paths'
import type Stripe from 'stripe'
import { idOf, sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps, stripeMark } from './stripe-client.ts'
import { isMissing } from './stripe-errors.ts'
import { subscriptionTerms } from './subscription-terms.ts'
import type { Pair } from './subscriptions.ts'
import { checkoutTax, issuerOf } from './tax.ts'

const STATUSES = ['open', 'complete', 'expired'] as const

/** A checkout as Stripe has it now. */
export type StripeCheckout = {
  id: string
  status: (typeof STATUSES)[number] | null
  /** Of its page, while it is open. */
  url: string | null
  /** Of this deployment. */
  isOurs: boolean
  /** By the product's own ids; null where its metadata do not hold them. */
  key: { traderId: string; id: string } | null
  /** Stripe's id of what was bought. */
  subscriptionId: string | null
}

/**
 * Opens the page on which a checkout is paid: a month at a time, by card, hosted by Stripe. Sends the same at every try,
 * under the same key, so that there is one page however often it is asked for. When it ends is left to Stripe, whose clock
 * decides it.
 * @throws what Stripe throws
 */
export async function openCheckoutPage(
  deps: StripeDeps,
  checkout: Pair & {
    id: string
    stripePriceId: string
    stripePromotionCodeId: string | null
    trialDays: number | null
    termsVersion: string | null
    taxLiable: TaxLiable | null
    feePercent: string
  },
  parties: { customer: string; destination: string; trader: string; code: string | null },
): Promise<StripeCheckout> {
  const { settings } = deps
  const { destination } = parties
  const terms = subscriptionTerms(settings, checkout, { destination, feePercent: checkout.feePercent })
  const { taxLiable, termsVersion } = checkout
  const metadata = {
    ...terms.metadata,
    checkout_id: checkout.id,
    ...(termsVersion !== null && { terms_version: termsVersion }),
  }
  const session = await sdkOf(deps).checkout.sessions.create(
    {
      mode: 'subscription',
      ui_mode: 'hosted_page',
      customer: parties.customer,
      client_reference_id: checkout.id,
      line_items: [{ price: checkout.stripePriceId, quantity: 1 }],
      ...(checkout.stripePromotionCodeId !== null && {
        discounts: [{ promotion_code: checkout.stripePromotionCodeId }],
      }),
      allowed_payment_method_types: ['card'],
      // The metadata on the subscription too: its events may come before anything else.
      subscription_data: {
        ...terms,
        metadata,
        ...trialOf(checkout.trialDays),
        ...issuerOf(taxLiable, destination),
      },
      ...checkoutTax(taxLiable, destination),
      // For free days too: a card is part of who has had some, and goes on paying.
      ...(checkout.trialDays !== null && { payment_method_collection: 'always' as const }),
      metadata,
      ...(termsVersion !== null && askForConsent(settings.origin, termsVersion)),
      ...pages(settings.origin, parties),
    },
    { idempotencyKey: `cs:${stripeMark(settings).env}:${checkout.id}` },
  )
  return readCheckout(settings, session)
}

function trialOf(
  days: number | null,
): Pick<Stripe.Checkout.SessionCreateParams.SubscriptionData, 'trial_period_days' | 'trial_settings'> {
  if (days === null) return {}
  return {
    trial_period_days: days,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
  }
}

/** Stripe's page has a box to tick then, and takes nobody's money without it. Its account needs an address of the terms for that. */
function askForConsent(
  origin: string,
  termsVersion: string,
): Pick<Stripe.Checkout.SessionCreateParams, 'consent_collection' | 'custom_text'> {
  const message = acceptanceSentence({ origin, termsVersion })
  return {
    consent_collection: { terms_of_service: 'required' },
    custom_text: { terms_of_service_acceptance: { message } },
  }
}

/** A person's consent on the page of a checkout. @property sentence as the page had it @property sessionId Stripe's, of the checkout */
export type StripeConsent = { sessionId: string; termsVersion: string; sentence: string }

/**
 * The consent that was given when a subscription was bought.
 * @param subscriptionId Stripe's
 * @returns where Stripe knows of none, the reason
 * @throws what Stripe throws
 */
export async function fetchConsent(
  deps: StripeDeps,
  subscriptionId: string,
): Promise<{ consent: StripeConsent } | { reason: string }> {
  const { data } = await sdkOf(deps).checkout.sessions.list({ subscription: subscriptionId, limit: 1 })
  const [session] = data
  if (!session) return { reason: 'Stripe has no checkout of it' }
  if (session.consent?.terms_of_service !== 'accepted') return { reason: 'nobody agreed on its page' }
  const sentence = session.custom_text.terms_of_service_acceptance?.message
  const termsVersion = session.metadata?.terms_version
  if (!sentence || !termsVersion) return { reason: 'its page names no terms' }
  return { consent: { sessionId: session.id, termsVersion, sentence } }
}

/** As it is at Stripe now. @throws what Stripe throws, also when there is none */
export async function retrieveCheckout(deps: StripeDeps, id: string): Promise<StripeCheckout> {
  return readCheckout(deps.settings, await sdkOf(deps).checkout.sessions.retrieve(id))
}

/** As it is at Stripe now; null when Stripe has lost it. */
export async function fetchCheckout(deps: StripeDeps, id: string): Promise<StripeCheckout | null> {
  try {
    return await retrieveCheckout(deps, id)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * Makes sure that nobody can pay it any more.
 * @returns how it is then: expired, or paid before; null when Stripe has lost it
 * @throws what Stripe throws
 */
export async function closeCheckout(deps: StripeDeps, id: string): Promise<StripeCheckout | null> {
  const found = await fetchCheckout(deps, id)
  if (found?.status !== 'open') return found
  try {
    return readCheckout(deps.settings, await sdkOf(deps).checkout.sessions.expire(id))
  } catch (error) {
    // Paid or expired in this very moment.
    const now = await fetchCheckout(deps, id)
    if (now?.status === 'open') throw error
    return now
  }
}

function readCheckout(settings: StripeDeps['settings'], session: Stripe.Checkout.Session): StripeCheckout {
  const { id, metadata, status, subscription, url } = session
  const { checkout_id: checkoutId, trader_id: traderId } = metadata ?? {}
  return {
    id,
    status: STATUSES.find((known) => known === status) ?? null,
    url,
    isOurs: isOurs(settings, metadata),
    key: checkoutId && traderId ? { traderId, id: checkoutId } : null,
    subscriptionId: subscription && idOf(subscription),
  }
}

/** Where the browser comes back to. Stripe fills the braces in, so they may not be encoded. */
function pages(
  origin: string,
  { code, trader }: { trader: string; code: string | null },
): { success_url: string; cancel_url: string } {
  const success = `${origin}${webPaths.paymentSuccess}?trader=${encodeURIComponent(trader)}`
  return {
    success_url: `${success}&session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}${webPaths.subscribe(trader)}?canceled=1${code === null ? '' : `&discount=${code}`}`,
  }
}
