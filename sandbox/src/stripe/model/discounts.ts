import {
  arrayOf,
  fields,
  flag,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  recordOf,
  text,
} from '../shape/shape.ts'
import { stored } from './stored.ts'

const duration = oneOf('once', 'repeating', 'forever')

export const coupon = stored('coupon', {
  amount_off: nullable(number),
  created: number,
  currency: nullable(text),
  duration,
  duration_in_months: nullable(number),
  max_redemptions: nullable(number),
  metadata: nullable(recordOf(text)),
  name: nullable(text),
  percent_off: nullable(number),
  redeem_by: nullable(number),
  times_redeemed: number,
  valid: flag,
})
export type Coupon = Of<typeof coupon>

/** The sandbox's own note on a coupon: the products that it is for, which Stripe shows on request alone; left out: all. */
export const couponNotes = fields({ products: optional(arrayOf(text)) })

export const promotionCode = stored('promotion_code', {
  active: flag,
  code: text,
  created: number,
  customer: nullable(text),
  expires_at: nullable(number),
  max_redemptions: nullable(number),
  metadata: nullable(recordOf(text)),
  promotion: fields({ type: oneOf('coupon'), coupon: text }),
  restrictions: fields({
    first_time_transaction: flag,
    minimum_amount: nullable(number),
    minimum_amount_currency: nullable(text),
  }),
  times_redeemed: number,
})
export type PromotionCode = Of<typeof promotionCode>

export const discount = stored('discount', {
  customer: nullable(text),
  end: nullable(number),
  promotion_code: nullable(text),
  source: fields({ type: oneOf('coupon'), coupon: text }),
  start: number,
  subscription: nullable(text),
})
export type Discount = Of<typeof discount>

/** The sandbox's own notes on a discount: the terms of its coupon, which may be deleted meanwhile. */
export const discountNotes = fields({
  percentOff: nullable(number),
  amountOff: nullable(number),
  duration,
  products: optional(arrayOf(text)),
})
export type DiscountTerms = Of<typeof discountNotes>

/** The coupon that a request or a checkout redeems, and the code through which; null: by its id. */
export const choice = fields({ coupon: text, promotionCode: nullable(text) })
export type Choice = Of<typeof choice>
