import type { Subscription } from '../model/billing.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'

/** So long before the end of a trial Stripe announces it (docs.stripe.com/billing/subscriptions/trials). */
const NOTICE_SECONDS = 3 * 86_400

/** Plans the announcement of a trial's end: at its time, or at once where that has passed already. */
export function planNotice(tx: Tx, subscription: Subscription): void {
  const { id, trial_end, test_clock } = subscription
  if (subscription.status !== 'trialing' || trial_end === null) return
  const at = trial_end - NOTICE_SECONDS
  if (at > timeOn(tx, test_clock)) tx.schedule('trial-will-end', id, at, test_clock)
  else announce(tx, subscription)
}

/** The time of the announcement has come. */
export function trialWillEnd(tx: Tx, id: string): void {
  announce(tx, tx.need('subscription', id))
}

/** Announces the end of a trial, also of one that is ended early. */
export function announce(tx: Tx, subscription: Subscription): void {
  tx.schedule('trial-will-end', subscription.id, null)
  tx.emit('customer.subscription.trial_will_end', subscription)
}
