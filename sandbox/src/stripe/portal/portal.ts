import { endSubscription, planEnd } from '../billing/ending.ts'
import { itemOf, LIVE, type Subscription } from '../model/billing.ts'
import type { Card } from '../model/payments.ts'
import type { Visit } from '../model/portal.ts'
import { behaviourOf } from '../payments/cards.ts'
import { addMethod } from '../payments/payment-methods.ts'
import { invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'

/** A person cancels in the portal. With flexible billing the end is stored as `cancel_at`, never as the old flag. */
export function cancelInPortal(tx: Tx, visit: Visit, id: string): void {
  const subscription = ownSubscription(tx, visit, id)
  const { features } = tx.need('billing_portal.configuration', visit.configuration)
  if (
    !features.subscription_cancel.enabled ||
    !LIVE.includes(subscription.status) ||
    subscription.cancel_at !== null
  )
    return
  if (features.subscription_cancel.mode === 'immediately') {
    endSubscription(tx, subscription, 'cancellation_requested')
    return
  }
  const before = tx.change(
    subscription,
    planEnd(tx, subscription, itemOf(subscription).current_period_end, false),
  )
  tx.emit('customer.subscription.updated', subscription, before)
}

/** A person gives a reason for the cancellation. */
export function takeFeedback(tx: Tx, visit: Visit, id: string, feedback: string): void {
  const subscription = ownSubscription(tx, visit, id)
  const { features } = tx.need('billing_portal.configuration', visit.configuration)
  const { enabled, options } = features.subscription_cancel.cancellation_reason
  if (!enabled || !options.includes(feedback)) return
  const before = tx.change(subscription, {
    cancellation_details: { ...subscription.cancellation_details, feedback },
  })
  tx.emit('customer.subscription.updated', subscription, before)
}

/** A person changed their mind while the subscription still runs. */
export function renewInPortal(tx: Tx, visit: Visit, id: string): void {
  const subscription = ownSubscription(tx, visit, id)
  if (!LIVE.includes(subscription.status) || subscription.cancel_at === null) return
  const before = tx.change(subscription, planEnd(tx, subscription, null, false))
  tx.emit('customer.subscription.updated', subscription, before)
}

/**
 * A person enters another card: it becomes the one for all invoices to come, also of running subscriptions.
 * @returns the bank's refusal, or null
 */
export function updateCard(tx: Tx, visit: Visit, card: Card): string | null {
  const { decline } = behaviourOf(card.number)
  if (decline !== undefined && !decline.savable) return decline.message
  const method = addMethod(tx, card, visit.customer)
  const customer = tx.need('customer', visit.customer)
  const before = tx.change(customer, {
    invoice_settings: { ...customer.invoice_settings, default_payment_method: method.id },
  })
  tx.emit('customer.updated', customer, before)
  for (const subscription of liveSubscriptions(tx, visit.customer)) {
    const old = tx.change(subscription, { default_payment_method: method.id })
    tx.emit('customer.subscription.updated', subscription, old)
  }
  return null
}

export function liveSubscriptions(tx: Tx, customer: string): Subscription[] {
  const filter = { equal: { customer }, among: { status: LIVE } }
  return tx.objects.list('subscription', filter, { limit: 100 })
}

function ownSubscription(tx: Tx, visit: Visit, id: string): Subscription {
  const subscription = tx.need('subscription', id)
  if (subscription.customer !== visit.customer) throw invalid(`No such subscription: '${id}'`)
  return subscription
}

/** The visit that a page's address names, while it lasts. */
export function visitOf(tx: Tx, token: string): Visit | null {
  const visit = tx.objects.find('sandbox.portal', token)
  return visit !== null && visit.expires >= tx.now ? visit : null
}
