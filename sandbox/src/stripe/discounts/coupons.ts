import type { Coupon } from '../model/discounts.ts'
import type { Deleted } from '../model/stored.ts'
import { invalid, past } from '../refusals/errors.ts'
import { anything, arrayOf, fields, number, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { endCodes } from './validity.ts'

const LONGEST_NAME = 40

const CREATE = {
  id: optional(text),
  name: optional(text),
  percent_off: optional(number),
  amount_off: optional(number),
  currency: optional(text),
  duration: optional(text),
  duration_in_months: optional(number),
  max_redemptions: optional(number),
  redeem_by: optional(number),
  applies_to: optional(fields({ products: optional(arrayOf(text)) })),
  metadata: optional(anything),
}
const UPDATE = { name: optional(text), metadata: optional(anything) }
const LIST = { ...PAGING, ...CREATED }

export const couponRoutes: Route[] = [
  route('POST /v1/coupons', CREATE, create),
  route('GET /v1/coupons', LIST, (call) => page(call, 'coupon')),
  route('GET /v1/coupons/:id', {}, ({ tx, id }) => tx.need('coupon', id)),
  route('POST /v1/coupons/:id', UPDATE, update),
  route('DELETE /v1/coupons/:id', {}, remove),
]

type Params = CallWith<typeof CREATE>['params']

function create({ tx, params }: CallWith<typeof CREATE>): Coupon {
  const duration = params.duration ?? 'once'
  checkAmount(params)
  checkDuration(duration, params.duration_in_months)
  checkLimits(tx, params)
  if (params.id !== undefined && tx.objects.look(params.id) !== null)
    throw invalid('Coupon already exists.', null, 'resource_already_exists')
  const products = params.applies_to?.products
  for (const product of products ?? []) tx.need('product', product, 'applies_to[products]')
  const coupon = tx.make('coupon', {
    id: params.id,
    amount_off: params.amount_off ?? null,
    currency: params.amount_off === undefined ? null : params.currency?.toLowerCase(),
    duration,
    duration_in_months: params.duration_in_months ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: mergeMetadata(null, params.metadata),
    name: params.name || null,
    percent_off: params.percent_off ?? null,
    redeem_by: params.redeem_by ?? null,
    valid: true,
  })
  tx.add(coupon, { notes: products === undefined ? {} : { products } })
  if (coupon.redeem_by !== null) tx.schedule('expire-coupon', coupon.id, coupon.redeem_by)
  tx.emit('coupon.created', coupon)
  return coupon
}

/** Either a share of the price or an amount of a currency (docs.stripe.com/api/coupons/create). */
function checkAmount({ percent_off: percent, amount_off: amount, currency }: Params): void {
  if (percent === undefined && amount === undefined)
    throw invalid('Must provide percent_off or amount_off.', null, 'parameter_missing')
  if (percent !== undefined && amount !== undefined)
    throw invalid('Received both percent_off and amount_off parameters. Please pass in only one.')
  if (amount !== undefined) {
    atLeastOne(amount, 'amount_off')
    if (currency === undefined) throw invalid('You must pass currency when passing amount_off', 'currency')
    return
  }
  const given = percent ?? 0
  const currently = `(it currently is '${Number.isInteger(given) ? given.toFixed(1) : given}')`
  if (given < 0.01)
    throw invalid(`This value must be greater than or equal to 0.01 ${currently}.`, 'percent_off')
  if (given > 100) throw invalid(`This value must be less than or equal to 100 ${currently}.`, 'percent_off')
  if (Math.abs(given * 100 - Math.round(given * 100)) > 1e-9)
    throw invalid('Invalid decimal: may have at most two decimal places', 'percent_off')
}

function checkDuration(duration: string, months: number | undefined): void {
  if (duration === 'repeating') {
    if (months === undefined)
      throw invalid(
        'The duration_in_months param must be set when creating a coupon with a repeating duration',
        'duration',
      )
    atLeastOne(months, 'duration_in_months')
  } else if (months !== undefined)
    throw invalid(
      'The duration_in_months param can only be set when creating a coupon with a repeating duration',
      'duration_in_months',
    )
}

function checkLimits(tx: Tx, params: Params): void {
  if (params.max_redemptions !== undefined) atLeastOne(params.max_redemptions, 'max_redemptions')
  checkName(params.name)
  const { redeem_by: until } = params
  if (until !== undefined && until <= tx.now) throw past('redeem_by', until)
}

/** @throws ApiError for a number below one, which Stripe takes nowhere that it counts */
export function atLeastOne(value: number, param: string): void {
  if (value < 1)
    throw invalid('This value must be greater than or equal to 1.', param, 'parameter_invalid_integer')
}

function checkName(name = ''): void {
  if (name.length > LONGEST_NAME)
    throw invalid(
      `Invalid string: ${name.slice(0, 10)}...${name.slice(-10)}; must be at most ${LONGEST_NAME} characters`,
      'name',
    )
}

/** The terms of a coupon stay; its name and metadata can change. */
function update({ tx, params, id }: CallWith<typeof UPDATE>): Coupon {
  const coupon = tx.need('coupon', id)
  checkName(params.name)
  const before = tx.change(coupon, {
    name: params.name === undefined ? coupon.name : params.name || null,
    metadata: mergeMetadata(coupon.metadata, params.metadata),
  })
  if (Object.keys(before).length > 0) tx.emit('coupon.updated', coupon, before)
  return coupon
}

/** Nobody can redeem it any more; discounts that were made of it go on (docs.stripe.com/api/coupons/delete). */
function remove({ tx, id }: Call): Deleted<'coupon'> {
  const coupon = tx.need('coupon', id)
  tx.change(coupon, { valid: false })
  endCodes(tx, coupon)
  tx.schedule('expire-coupon', id, null)
  tx.objects.hide(id)
  tx.emit('coupon.deleted', coupon)
  return { id, object: 'coupon', deleted: true }
}
