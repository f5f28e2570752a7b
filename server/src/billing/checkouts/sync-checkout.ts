import {
  closeCheckout,
  fetchCheckout,
  retrieveCheckout,
  type StripeCheckout,
} from '../../stripe/checkouts.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { type Checkout, failCheckout, findCheckout, settleCheckout } from './checkout-sessions.queries.ts'
import { CUT_OFF_MS, lookAtCheckout } from './checkouts.jobs.ts'

/**
 * What has become of a checkout. `paid`: the subscription that was bought, by Stripe's id, which the caller syncs; it names its
 * checkout and settles it with what is written of it. `ignored`: it is another product's or deployment's.
 */
export type CheckoutOutcome = { paid: string } | 'done' | 'ignored'

/**
 * Reads a checkout at Stripe, by Stripe's id of it, and settles it here where it can be paid no more.
 * @throws what Stripe throws; nothing is written then
 */
export async function syncSession(
  deps: PaymentsDeps,
  sessionId: string,
  now: Date,
): Promise<CheckoutOutcome> {
  const session = await retrieveCheckout(deps, sessionId)
  return session.isOurs ? settleAs(deps, session, now) : 'ignored'
}

async function settleAs(
  { db }: PaymentsDeps,
  { key, status, subscriptionId }: StripeCheckout,
  now: Date,
): Promise<CheckoutOutcome> {
  if (status === 'complete' && subscriptionId) return { paid: subscriptionId }
  if (status === 'expired' && key) await settleCheckout(db, key, 'expired', now)
  return 'done'
}

/** The same for an open checkout that is stored here. One that was cut off before it had a page is given up. */
export async function syncCheckout(
  deps: PaymentsDeps,
  key: { traderId: string; id: string },
  now: Date,
): Promise<CheckoutOutcome> {
  const { db } = deps
  const checkout = await findCheckout(db, key)
  if (!checkout) return 'done'
  if (checkout.stripeSessionId === null) {
    if (now.getTime() - checkout.createdAt.getTime() >= CUT_OFF_MS) await failCheckout(db, key, now)
    return 'done'
  }
  const session = await fetchCheckout(deps, checkout.stripeSessionId)
  if (session) return settleAs(deps, session, now)
  await settleCheckout(db, key, 'expired', now)
  return 'done'
}

/**
 * Makes sure that nobody can pay a checkout any more, and settles it. One that has been paid is made due, so that a worker
 * syncs its subscription.
 * @returns false when it has been paid
 * @throws what Stripe throws
 */
export async function endCheckout(deps: PaymentsDeps, checkout: Checkout, now: Date): Promise<boolean> {
  const { db } = deps
  if (checkout.stripeSessionId === null) {
    await failCheckout(db, checkout, now)
    return true
  }
  const session = await closeCheckout(deps, checkout.stripeSessionId)
  if (session?.status === 'complete') {
    await lookAtCheckout(db, checkout, now)
    return false
  }
  if (session) await settleAs(deps, session, now)
  else await settleCheckout(db, checkout, 'expired', now)
  return true
}
