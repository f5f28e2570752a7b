import { type Invoice, itemOf, type Subscription } from '../model/billing.ts'
import type { DiscountTerms } from '../model/discounts.ts'
import { percentOf } from '../time/periods.ts'
import type { Tx } from '../world/world.ts'
import { takeOff } from './redeem.ts'

/** One discount of an invoice, in cents. */
export type Reduction = { discount: string; amount: number }

/** Cents that the terms of a discount take off an amount, never more than the amount itself. */
export function reductionOf({ percentOff, amountOff }: DiscountTerms, amount: number): number {
  return percentOff === null ? Math.min(amountOff ?? 0, amount) : percentOf(amount, percentOff)
}

/**
 * The discounts of an invoice for the current period of a subscription (docs.stripe.com/billing/subscriptions/coupons): a
 * repeating one is of each period that begins before its end, one for once is of the first invoice that is paid.
 * @param amount cents before them
 */
export function reductions(tx: Tx, subscription: Subscription, amount: number): Reduction[] {
  let left = amount
  return subscription.discounts
    .filter((id) => applies(tx, subscription, id))
    .map((discount) => {
      const off = reductionOf(tx.objects.notes('discount', discount), left)
      left -= off
      return { discount, amount: off }
    })
}

function applies(tx: Tx, subscription: Subscription, id: string): boolean {
  const { end } = tx.need('discount', id)
  const { duration, products } = tx.objects.notes('discount', id)
  const item = itemOf(subscription)
  if (end !== null && item.current_period_start >= end) return false
  if (products !== undefined && !products.includes(item.price.product)) return false
  return duration !== 'once' || !isPromised(tx, subscription.id, id)
}

/** Whether an invoice that is still to be paid has this discount already. */
function isPromised(tx: Tx, subscription: string, discount: string): boolean {
  const filter = { parent: subscription, among: { status: ['draft', 'open'] } }
  const waiting = tx.objects.list('invoice', filter, { limit: 100 })
  return waiting.some(({ subtotal, discounts }) => subtotal > 0 && discounts.includes(discount))
}

/** After an invoice was paid: a discount for once has had its turn, unless nothing was asked for, as in a trial. */
export function spend(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  if (invoice.subtotal === 0) return
  const spent = invoice.discounts.filter(
    (id) => subscription.discounts.includes(id) && tx.objects.notes('discount', id).duration === 'once',
  )
  for (const id of spent) takeOff(tx, subscription, tx.need('discount', id))
}
