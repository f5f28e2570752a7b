import { closeCheckout } from '../../stripe/checkouts.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { type Checkout, failCheckout, settleCheckout } from './checkout-sessions.queries.ts'
import { lookAtCheckout } from './checkouts.jobs.ts'

/**
 * Makes sure that nobody can pay a checkout any more, and settles it. One that has been paid is made due: a worker turns it into
 * a subscription.
 * @returns false when it has been paid
 * @throws what Stripe throws
 */
export async function endCheckout(deps: PaymentsDeps, checkout: Checkout, now: Date): Promise<boolean> {
  const { stripeSessionId } = checkout
  if (stripeSessionId === null) {
    await failCheckout(deps.db, checkout, now)
    return true
  }
  const session = await closeCheckout(deps, stripeSessionId)
  if (session?.status === 'complete') {
    await lookAtCheckout(deps.db, checkout, now)
    return false
  }
  if (session === null || session.status === 'expired')
    await settleCheckout(deps.db, checkout, 'expired', now)
  return true
}
