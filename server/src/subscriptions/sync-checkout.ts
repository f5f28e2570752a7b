import type Stripe from 'stripe'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { isMissing, isOurs } from '../stripe/stripe-client.ts'
import { idOf } from '../stripe/subscriptions.ts'
import { type Checkout, failCheckout, findCheckout, settleCheckout } from './checkout-sessions.queries.ts'
import { type SyncOutcome, syncSubscription } from './sync-subscription.ts'

/** Longer than any request: a checkout that has no page by then was cut off, and nobody will ever know its page. */
export const CUT_OFF_MS = 60_000

/**
 * Brings a checkout in line with Stripe, by Stripe's id of it: what was paid becomes a subscription, what can be paid
 * no more is settled.
 * @throws what Stripe throws; nothing is written then
 */
export async function syncSession(deps: PaymentsDeps, sessionId: string, now: Date): Promise<SyncOutcome> {
  const session = await deps.stripe.checkout.sessions.retrieve(sessionId)
  if (!isOurs(deps.settings, session.metadata)) return 'ignored'
  return followSession(deps, session, now)
}

async function followSession(
  deps: PaymentsDeps,
  session: Stripe.Checkout.Session,
  now: Date,
): Promise<SyncOutcome> {
  const { status, subscription } = session
  // The subscription names its checkout, and settles it with what it writes.
  if (status === 'complete' && subscription) return syncSubscription(deps, idOf(subscription), {}, now)
  const { checkout_id: id, trader_id: traderId } = session.metadata ?? {}
  if (status === 'expired' && id && traderId) await settleCheckout(deps.db, { traderId, id }, 'expired', now)
  return 'done'
}

/** The same for an open checkout that is stored here. One that was cut off before it had a page is given up. */
export async function syncCheckout(
  deps: PaymentsDeps,
  key: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  const checkout = await findCheckout(deps.db, key)
  if (!checkout) return
  if (checkout.stripeSessionId === null) {
    if (now.getTime() - checkout.createdAt.getTime() >= CUT_OFF_MS) await failCheckout(deps.db, key, now)
    return
  }
  const session = await findCheckoutAtStripe(deps, checkout.stripeSessionId)
  if (session) await followSession(deps, session, now)
  else await settleCheckout(deps.db, key, 'expired', now)
}

/**
 * Makes sure that nobody can pay a checkout any more, and settles it. One that has been paid becomes a subscription.
 * @throws what Stripe throws
 */
export async function endCheckout(deps: PaymentsDeps, checkout: Checkout, now: Date): Promise<void> {
  if (checkout.stripeSessionId === null) return failCheckout(deps.db, checkout, now)
  const session = await closeSession(deps, checkout.stripeSessionId)
  if (session) await followSession(deps, session, now)
  else await settleCheckout(deps.db, checkout, 'expired', now)
}

/** Null when Stripe has lost it. */
export async function findCheckoutAtStripe(
  { stripe }: PaymentsDeps,
  sessionId: string,
): Promise<Stripe.Checkout.Session | null> {
  try {
    return await stripe.checkout.sessions.retrieve(sessionId)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** @returns how it is then: expired, or paid before; null when Stripe has lost it */
async function closeSession(deps: PaymentsDeps, sessionId: string): Promise<Stripe.Checkout.Session | null> {
  const session = await findCheckoutAtStripe(deps, sessionId)
  if (session?.status !== 'open') return session
  try {
    return await deps.stripe.checkout.sessions.expire(sessionId)
  } catch (error) {
    // Paid or expired in this very moment.
    const now = await findCheckoutAtStripe(deps, sessionId)
    if (now?.status === 'open') throw error
    return now
  }
}
