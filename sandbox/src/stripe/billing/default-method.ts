import type { Subscription } from '../model/billing.ts'
import type { PaymentMethod } from '../model/payments.ts'
import { invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'

/** The card that a subscription is charged to: its own, or the customer's; null when there is none. */
export function defaultMethod(tx: Tx, subscription: Subscription): PaymentMethod | null {
  const customer = tx.need('customer', subscription.customer)
  const id = subscription.default_payment_method ?? customer.invoice_settings.default_payment_method
  const method = id === null ? null : tx.objects.find('payment_method', id)
  return method?.customer === customer.id ? method : null
}

export function noMethod() {
  return invalid(
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
    null,
    'resource_missing',
  )
}
