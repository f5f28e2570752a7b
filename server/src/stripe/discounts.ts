import type { Discount } from '@tradepost/contract/discount-code'
import type Stripe from 'stripe'
import { idOf, toDate } from './sdk.ts'

/** Asks Stripe for the terms of discounts with a subscription; without it an answer has their ids alone. */
export const WITH_DISCOUNTS: { expand: string[] } = { expand: ['discounts.source.coupon'] }
export const LISTED_WITH_DISCOUNTS: { expand: string[] } = { expand: ['data.discounts.source.coupon'] }

/** A discount of a running subscription. An amount is in the smallest unit of the subscription's currency. */
export type StripeDiscount = Discount & {
  id: string
  /** It is of the next payment alone. */
  once: boolean
  /** It is of renewals before this; null where no end is set. */
  endsAt: Date | null
  promotionCodeId: string | null
}

/**
 * Reads what is taken off a subscription. A discount whose coupon Stripe does not show any more is left out: its terms are not known.
 * @throws when the answer was not asked for with `WITH_DISCOUNTS`
 */
export function readDiscounts({ discounts }: Pick<Stripe.Subscription, 'discounts'>): StripeDiscount[] {
  return discounts.flatMap((discount) => {
    if (typeof discount === 'string') throw new Error('a discount of a subscription was not asked for')
    const { coupon } = discount.source
    if (coupon === null || typeof coupon === 'string') return []
    const { promotion_code: code } = discount
    return {
      id: discount.id,
      percentOff: coupon.percent_off,
      amountOffCents: coupon.amount_off,
      once: coupon.duration === 'once',
      endsAt: toDate(discount.end),
      promotionCodeId: code === null ? null : idOf(code),
    }
  })
}
