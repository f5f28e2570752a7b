import type { Subscription } from '../model/billing.ts'
import type { Choice, Discount, DiscountTerms } from '../model/discounts.ts'
import { addMonths } from '../time/periods.ts'
import { timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { endCodes, isUsedUp } from './validity.ts'

/** Makes a subscription's discount of a coupon, and counts that it was redeemed. */
export function redeem(tx: Tx, subscription: Subscription, choice: Choice): void {
  const coupon = tx.need('coupon', choice.coupon)
  const start = timeOn(tx, subscription.test_clock)
  const months = coupon.duration === 'repeating' ? coupon.duration_in_months : null
  const discount = tx.make('discount', {
    customer: subscription.customer,
    end: months === null ? null : addMonths(start, months),
    promotion_code: choice.promotionCode,
    source: { type: 'coupon', coupon: coupon.id },
    start,
    subscription: subscription.id,
  })
  tx.add(discount, { parent: subscription.id, notes: termsOf(tx, choice.coupon) })
  tx.schedule('end-discount', discount.id, discount.end, subscription.test_clock)
  tx.change(subscription, { discounts: [...subscription.discounts, discount.id] })
  count(tx, choice)
  tx.emit('customer.discount.created', discount)
}

/** The terms that a discount has of its coupon, also after that is deleted. */
export function termsOf(tx: Tx, id: string): DiscountTerms {
  const { percent_off, amount_off, duration } = tx.need('coupon', id)
  const { products } = tx.objects.notes('coupon', id)
  return {
    percentOff: percent_off,
    amountOff: amount_off,
    duration,
    ...(products !== undefined && { products }),
  }
}

/** One redemption more; with the last one the code ends, or the coupon with all its codes. */
function count(tx: Tx, { coupon: id, promotionCode }: Choice): void {
  if (promotionCode !== null) {
    const code = tx.need('promotion_code', promotionCode)
    const counted = { ...code, times_redeemed: code.times_redeemed + 1 }
    const { times_redeemed } = counted
    const before = tx.change(code, { times_redeemed, active: code.active && !isUsedUp(counted) })
    tx.emit('promotion_code.updated', code, before)
  }
  const coupon = tx.need('coupon', id)
  const counted = { ...coupon, times_redeemed: coupon.times_redeemed + 1 }
  const { times_redeemed } = counted
  const before = tx.change(coupon, { times_redeemed, valid: coupon.valid && !isUsedUp(counted) })
  tx.emit('coupon.updated', coupon, before)
  if (!coupon.valid) endCodes(tx, coupon)
}

/** The months of a discount are over. */
export function endDiscount(tx: Tx, id: string): void {
  const discount = tx.need('discount', id)
  const subscription = tx.need('subscription', discount.subscription ?? '')
  takeOff(tx, subscription, discount)
}

/** Takes a discount off its subscription: invoices to come are without it. */
export function takeOff(tx: Tx, subscription: Subscription, discount: Discount): void {
  const discounts = subscription.discounts.filter((one) => one !== discount.id)
  const before = tx.change(subscription, { discounts })
  tx.emit('customer.discount.deleted', discount)
  // A subscription that is only being made is announced when that is done.
  if (subscription.status !== 'incomplete') tx.emit('customer.subscription.updated', subscription, before)
}
