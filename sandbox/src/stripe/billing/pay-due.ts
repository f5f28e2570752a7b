import { mayReceive } from '../connect/may-receive.ts'
import { type Invoice, itemOf, type Subscription } from '../model/billing.ts'
import type { PaymentMethod } from '../model/payments.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { defaultMethod } from './default-method.ts'
import { endSubscription } from './ending.ts'
import { attemptPayment, type Presence, settleFree } from './invoices.ts'
import { RETRY_DAYS, RETRY_ENDING } from './retries.ts'

const DAY = 86_400

/**
 * Tries to collect an open invoice of a running subscription, and draws the consequences: active again, past due with
 * a date for the next attempt, or ended after the last.
 * @returns whether it is paid, or a person has to approve it, or its money could not go where it has to
 */
export function payDue(
  tx: Tx,
  subscription: Subscription,
  invoice: Invoice,
  presence: Presence,
  method: PaymentMethod | null = defaultMethod(tx, subscription),
): 'paid' | 'challenge' | 'no-destination' | { message: string; code: string; declineCode: string | null } {
  if (settleFree(tx, subscription, invoice)) {
    recover(tx, subscription)
    return 'paid'
  }
  const hasNowhereToGo = destinationGone(tx, subscription)
  if (method === null || hasNowhereToGo) {
    tx.change(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 })
    tx.emit('invoice.payment_failed', invoice)
    if (presence === 'away') fallDue(tx, subscription, invoice)
    if (hasNowhereToGo) return 'no-destination'
    return { message: 'There is no card to charge.', code: 'resource_missing', declineCode: null }
  }
  const outcome = attemptPayment(tx, subscription, invoice, method, presence, takeSabotage(tx, subscription))
  if (outcome.kind === 'paid') {
    recover(tx, subscription)
    return 'paid'
  }
  if (presence === 'away') fallDue(tx, subscription, invoice)
  if (outcome.kind === 'challenge') return 'challenge'
  return { message: outcome.message, code: outcome.code, declineCode: outcome.declineCode }
}

/** After a payment came in: a subscription that waited for it runs again. */
function recover(tx: Tx, subscription: Subscription): void {
  const waits = ['past_due', 'unpaid', 'incomplete'].includes(subscription.status)
  if (!waits || tx.objects.count('invoice', { parent: subscription.id, equal: { status: 'open' } }) > 0)
    return
  const first = subscription.status === 'incomplete'
  const before = tx.change(subscription, { status: 'active' })
  if (first) {
    tx.schedule('expire-subscription', subscription.id, null)
    const { current_period_end } = itemOf(subscription)
    tx.schedule('renew-subscription', subscription.id, current_period_end, subscription.test_clock)
  }
  tx.emit('customer.subscription.updated', subscription, before)
}

function fallDue(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const gap = RETRY_DAYS[invoice.attempt_count - 1]
  if (gap === undefined) {
    giveUp(tx, subscription, invoice)
    return
  }
  const next = timeOn(tx, invoice.test_clock) + gap * DAY
  const before = tx.change(invoice, { next_payment_attempt: next })
  tx.emit('invoice.updated', invoice, before)
  tx.schedule('retry-invoice', invoice.id, next, invoice.test_clock)
  if (subscription.status === 'past_due') return
  const status = tx.change(subscription, { status: 'past_due' })
  tx.emit('customer.subscription.updated', subscription, status)
}

function giveUp(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const ending = tx.settings.read(RETRY_ENDING)
  if (ending === 'cancel') {
    endSubscription(tx, subscription, 'payment_failed')
    return
  }
  const before = tx.change(invoice, { next_payment_attempt: null })
  tx.emit('invoice.updated', invoice, before)
  if (subscription.status === ending) return
  const status = tx.change(subscription, { status: ending })
  tx.emit('customer.subscription.updated', subscription, status)
}

function destinationGone(tx: Tx, { transfer_data }: Subscription): boolean {
  if (transfer_data === null) return false
  const account = tx.objects.find('v2.core.account', transfer_data.destination)
  return account === null || !mayReceive(account)
}

function takeSabotage(tx: Tx, { id }: Subscription): boolean {
  if (tx.objects.notes('subscription', id).failNext !== true) return false
  tx.objects.note('subscription', id, { failNext: false })
  return true
}
