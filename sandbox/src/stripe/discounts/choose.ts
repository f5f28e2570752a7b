import type { Choice, PromotionCode } from '../model/discounts.ts'
import { invalid, missing } from '../refusals/errors.ts'
import { arrayOf, either, fields, nullable, type Of, oneOf, optional, text } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'

/** The parameter with which a checkout, or a new subscription, names its discount. */
export const DISCOUNTS = optional(
  nullable(either(arrayOf(fields({ coupon: optional(text), promotion_code: optional(text) })), oneOf(''))),
)

/** The purchase that a discount would be of. */
export type Order = {
  /** null: nobody that is known yet */
  customer: string | null
  product: string
  /** Cents before the discount. */
  amount: number
  currency: string
}

/**
 * The discount that a request chose; null: none.
 * @throws ApiError for one that cannot be redeemed for this order
 */
export function readChoice(tx: Tx, given: Of<typeof DISCOUNTS>, order: Order): Choice | null {
  if (given === undefined || given === null || given === '') return null
  const [first, ...more] = given
  if (first === undefined) return null
  if (more.length > 0) throw invalid('Array discounts exceeded maximum 1 allowed elements.', 'discounts')
  const { coupon, promotion_code } = first
  if (coupon !== undefined && promotion_code !== undefined)
    throw invalid('You may only specify one of these parameters: coupon, promotion_code.', 'discounts[0]')
  if (promotion_code !== undefined) {
    const code = tx.objects.find('promotion_code', promotion_code)
    if (code === null) throw missing('promotion code', promotion_code, 'discounts[0][promotion_code]')
    const choice = { coupon: code.promotion.coupon, promotionCode: code.id }
    checkChoice(tx, choice, order)
    return choice
  }
  if (coupon === undefined)
    throw invalid('You must pass a coupon or a promotion_code.', 'discounts[0]', 'parameter_missing')
  const choice = { coupon, promotionCode: null }
  checkChoice(tx, choice, order)
  return choice
}

/**
 * Checks that a discount can be redeemed for an order: when it is asked for, and again when a checkout is completed.
 * @throws ApiError
 */
export function checkChoice(tx: Tx, { coupon: id, promotionCode }: Choice, order: Order): void {
  const param = promotionCode === null ? 'discounts[0][coupon]' : 'discounts[0][promotion_code]'
  const coupon = tx.need('coupon', id, param)
  if (coupon.redeem_by !== null && coupon.redeem_by <= tx.now)
    throw invalid(`Coupon expired: ${id}`, param, 'coupon_expired')
  if (!coupon.valid) throw invalid(`Coupon ${id} is used up and cannot be applied.`, param, 'coupon_expired')
  if (promotionCode !== null) checkCode(tx, tx.need('promotion_code', promotionCode), order, param)
  const { products } = tx.objects.notes('coupon', id)
  if (products !== undefined && !products.includes(order.product))
    throw invalid(
      'This coupon cannot be redeemed because it does not apply to anything in this order.',
      param,
      'coupon_applies_to_nothing',
    )
  if (coupon.currency !== null && coupon.currency !== order.currency)
    throw invalid(
      `This coupon cannot be redeemed because it is in \`${coupon.currency}\` and the order in \`${order.currency}\`.`,
      param,
    )
}

function checkCode(tx: Tx, code: PromotionCode, order: Order, param: string): void {
  const refuse = (because: string, word: string | null = null) =>
    invalid(`This promotion code cannot be redeemed because ${because}.`, param, word)
  const { expires_at, max_redemptions, restrictions, times_redeemed } = code
  if (expires_at !== null && expires_at <= tx.now) throw refuse('it has expired', 'coupon_expired')
  if (max_redemptions !== null && times_redeemed >= max_redemptions)
    throw refuse('it has been used the maximum number of times', 'coupon_expired')
  if (!code.active) throw refuse('it is not active')
  if (code.customer !== null && code.customer !== order.customer)
    throw refuse('it belongs to another customer')
  const { first_time_transaction, minimum_amount, minimum_amount_currency } = restrictions
  if (first_time_transaction && order.customer !== null && hasBought(tx, order.customer))
    throw refuse('the associated customer has prior transactions')
  if (minimum_amount === null) return
  if (minimum_amount_currency !== order.currency || order.amount < minimum_amount)
    throw refuse(`the order is below its minimum amount of ${minimum_amount} ${minimum_amount_currency}`)
}

/** An invoice that was ever due counts, a trial's and one that nobody paid included. */
function hasBought(tx: Tx, customer: string): boolean {
  const among = { status: ['open', 'paid', 'uncollectible'] }
  return tx.objects.count('invoice', { equal: { customer }, among }) > 0
}
