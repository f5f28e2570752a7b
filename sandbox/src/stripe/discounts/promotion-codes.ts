import type { Coupon, PromotionCode } from '../model/discounts.ts'
import { invalid, past, tooFar } from '../refusals/errors.ts'
import { anything, fields, flag, number, optional, text } from '../shape/shape.ts'
import { randomText } from '../store/ids.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { atLeastOne } from './coupons.ts'
import { isUsedUp } from './validity.ts'

const DRAWN_LETTERS = 8
const FURTHEST = 5 * 365.25 * 86_400

const CREATE = {
  promotion: fields({ type: text, coupon: optional(text) }),
  code: optional(text),
  active: optional(flag),
  customer: optional(text),
  expires_at: optional(number),
  max_redemptions: optional(number),
  restrictions: optional(
    fields({
      first_time_transaction: optional(flag),
      minimum_amount: optional(number),
      minimum_amount_currency: optional(text),
    }),
  ),
  metadata: optional(anything),
}
const UPDATE = { active: optional(flag), metadata: optional(anything) }
const LIST = {
  ...PAGING,
  ...CREATED,
  active: optional(flag),
  code: optional(text),
  coupon: optional(text),
  customer: optional(text),
}

export const promotionCodeRoutes: Route[] = [
  route('POST /v1/promotion_codes', CREATE, create),
  route('GET /v1/promotion_codes', LIST, (call) => {
    const { active, code, coupon, customer } = call.params
    const parent = coupon === undefined ? undefined : call.tx.need('coupon', coupon, 'coupon').id
    return page(call, 'promotion_code', { equal: { active, customer }, alike: { code }, parent })
  }),
  route('GET /v1/promotion_codes/:id', {}, ({ tx, id }) => tx.need('promotion_code', id)),
  route('POST /v1/promotion_codes/:id', UPDATE, update),
]

type Params = CallWith<typeof CREATE>['params']

function create({ tx, params }: CallWith<typeof CREATE>): PromotionCode {
  const coupon = couponOf(tx, params)
  const customer = params.customer === undefined ? null : tx.need('customer', params.customer, 'customer').id
  const code = params.code ?? randomText(DRAWN_LETTERS).toUpperCase()
  if (!/^[a-zA-Z0-9\-_]+$/.test(code))
    throw invalid(
      `This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value ${code}).`,
      'code',
    )
  const active = params.active ?? true
  if (active) checkFree(tx, code, customer)
  checkLimits(tx, params, coupon)
  const made = tx.make('promotion_code', {
    active,
    code,
    customer,
    expires_at: params.expires_at ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: mergeMetadata(null, params.metadata),
    promotion: { type: 'coupon', coupon: coupon.id },
    restrictions: restrictionsOf(params),
  })
  tx.add(made, { parent: coupon.id })
  if (made.expires_at !== null) tx.schedule('expire-promotion-code', made.id, made.expires_at)
  tx.emit('promotion_code.created', made)
  return made
}

function couponOf(tx: Tx, { promotion }: Params): Coupon {
  if (promotion.coupon === undefined)
    throw invalid('You must pass promotion.coupon when passing promotion', 'promotion.coupon')
  const coupon = tx.need('coupon', promotion.coupon, 'promotion[coupon]')
  if (!coupon.valid) throw invalid(`Coupon expired: ${coupon.id}`, 'promotion[coupon]', 'coupon_expired')
  return coupon
}

/** A code is one person's or everybody's: as long as it is active nobody may have it a second time, in no spelling. */
function checkFree(tx: Tx, code: string, customer: string | null): void {
  const holders = tx.objects.list(
    'promotion_code',
    { equal: { active: true }, alike: { code } },
    { limit: 1000 },
  )
  if (holders.some((one) => one.customer === null || customer === null || one.customer === customer))
    throw invalid(`An active promotion code with \`code: ${code}\` already exists.`)
}

function checkLimits(tx: Tx, params: Params, coupon: Coupon): void {
  const { expires_at: until, max_redemptions: most } = params
  if (most !== undefined) {
    atLeastOne(most, 'max_redemptions')
    if (coupon.max_redemptions !== null && most > coupon.max_redemptions)
      throw invalid(
        `max_redemptions cannot be greater than that of the coupon (${coupon.max_redemptions}).`,
        'max_redemptions',
      )
  }
  if (until === undefined) return
  if (until <= tx.now) throw past('expires_at', until)
  if (until > tx.now + FURTHEST) throw tooFar('expires_at')
  if (coupon.redeem_by !== null && until > coupon.redeem_by)
    throw invalid(
      `expires_at cannot be after the redeem_by of the coupon (${coupon.redeem_by}).`,
      'expires_at',
    )
}

function restrictionsOf({ restrictions = {} }: Params): PromotionCode['restrictions'] {
  const { first_time_transaction = false, minimum_amount, minimum_amount_currency } = restrictions
  if ((minimum_amount === undefined) !== (minimum_amount_currency === undefined)) {
    const lacking = minimum_amount === undefined ? 'minimum_amount' : 'minimum_amount_currency'
    throw invalid(
      'You must pass minimum_amount and minimum_amount_currency together.',
      `restrictions[${lacking}]`,
    )
  }
  if (minimum_amount !== undefined) atLeastOne(minimum_amount, 'restrictions[minimum_amount]')
  return {
    first_time_transaction,
    minimum_amount: minimum_amount ?? null,
    minimum_amount_currency: minimum_amount_currency?.toLowerCase() ?? null,
  }
}

/** Ends a code, or lets an ended one begin again while it could still be redeemed. */
function update({ tx, params, id }: CallWith<typeof UPDATE>): PromotionCode {
  const code = tx.need('promotion_code', id)
  if (params.active === true && !code.active) {
    const coupon = tx.objects.find('coupon', code.promotion.coupon)
    const over = code.expires_at !== null && code.expires_at <= tx.now
    if (coupon?.valid !== true || isUsedUp(code) || over)
      throw invalid(
        'This promotion code cannot be reactivated, because it or its coupon can no longer be redeemed.',
        'active',
      )
    checkFree(tx, code.code, code.customer)
  }
  const before = tx.change(code, {
    active: params.active ?? code.active,
    metadata: mergeMetadata(code.metadata, params.metadata),
  })
  if (Object.keys(before).length > 0) tx.emit('promotion_code.updated', code, before)
  return code
}
