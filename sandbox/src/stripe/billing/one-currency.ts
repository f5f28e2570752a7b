import { LIVE } from '../model/billing.ts'
import { invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'

/** More than one customer has. */
const ALL = { limit: 1000 }

/**
 * Checks that a customer pays in one currency: Stripe takes no second one while a subscription or an open checkout of a
 * subscription is in another (docs.stripe.com/invoicing/multi-currency-customers). It gives no code and names no parameter;
 * only its sentence distinguishes this refusal from others.
 * @throws ApiError without code
 */
export function checkCurrency(tx: Tx, customer: string, currency: string): void {
  const open = [
    ...tx.objects.list('subscription', { equal: { customer }, among: { status: LIVE } }, ALL),
    ...tx.objects.list('checkout.session', { equal: { customer, status: 'open' } }, ALL),
  ]
  const other = open.find((one) => one.currency !== currency)
  if (other === undefined) return
  throw invalid(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${other.currency}.`,
  )
}
