import type { Subscription } from '../model/billing.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { stopAdvancing } from './invoices.ts'

export type EndReason = 'cancellation_requested' | 'payment_failed' | 'payment_disputed'

/** Ends a subscription now. Nothing is paid back: what is returned is the caller's to decide. */
export function endSubscription(tx: Tx, subscription: Subscription, reason: EndReason): void {
  const now = timeOn(tx, subscription.test_clock)
  tx.change(subscription, {
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? now,
    ended_at: now,
    cancellation_details: { ...emptyDetails(), ...subscription.cancellation_details, reason },
  })
  for (const kind of [
    'renew-subscription',
    'end-subscription',
    'expire-subscription',
    'trial-will-end',
  ] as const)
    tx.schedule(kind, subscription.id, null)
  for (const discount of subscription.discounts) tx.schedule('end-discount', discount, null)
  stopCollecting(tx, subscription.id)
  tx.emit('customer.subscription.deleted', subscription)
}

/** An amount that is still owed stays owed, without automatic collection (docs.stripe.com/api/subscriptions/cancel). */
function stopCollecting(tx: Tx, subscription: string): void {
  const filter = { parent: subscription, among: { status: ['open', 'draft'] } }
  for (const invoice of tx.objects.list('invoice', filter, { limit: 100 })) {
    const before = stopAdvancing(tx, invoice)
    if (Object.keys(before).length > 0) tx.emit('invoice.updated', invoice, before)
  }
}

function emptyDetails(): Record<string, unknown> {
  return { comment: null, feedback: null, feedback_option: null, reason: null }
}

/**
 * Sets or lifts the time at which a subscription ends automatically.
 * @param at seconds; null keeps it running
 * @param flagged whether it was asked for as `cancel_at_period_end`, which shows in the object
 */
export function planEnd(
  tx: Tx,
  subscription: Subscription,
  at: number | null,
  flagged: boolean,
): Record<string, unknown> {
  tx.schedule('end-subscription', subscription.id, at, subscription.test_clock)
  return {
    cancel_at: at,
    cancel_at_period_end: at !== null && flagged,
    canceled_at: at === null ? null : timeOn(tx, subscription.test_clock),
    cancellation_details: {
      ...emptyDetails(),
      ...subscription.cancellation_details,
      reason: at === null ? null : 'cancellation_requested',
    },
  }
}
