import { fetchCheckout, retrieveCheckout, type StripeCheckout } from '../../stripe/checkouts.ts'
import { failCheckout, findCheckout, settleCheckout } from '../checkouts/checkout-sessions.queries.ts'
import { CUT_OFF_MS } from '../checkouts/checkouts.jobs.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { type SyncOutcome, syncSubscription } from './sync-subscription.ts'

/**
 * Brings a checkout in line with Stripe, by Stripe's id of it: what was paid becomes a subscription, what can be paid
 * no more is settled.
 * @throws what Stripe throws; nothing is written then
 */
export async function syncSession(deps: PaymentsDeps, sessionId: string, now: Date): Promise<SyncOutcome> {
  const session = await retrieveCheckout(deps, sessionId)
  return session.isOurs ? followSession(deps, session, now) : 'ignored'
}

async function followSession(
  deps: PaymentsDeps,
  { key, status, subscriptionId }: StripeCheckout,
  now: Date,
): Promise<SyncOutcome> {
  // The subscription names its checkout, and settles it with what it writes.
  if (status === 'complete' && subscriptionId) return syncSubscription(deps, subscriptionId, {}, now)
  if (status === 'expired' && key) await settleCheckout(deps.db, key, 'expired', now)
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
  const session = await fetchCheckout(deps, checkout.stripeSessionId)
  if (session) await followSession(deps, session, now)
  else await settleCheckout(deps.db, key, 'expired', now)
}
