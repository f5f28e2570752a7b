import type { Price, Recurring } from '../model/catalog.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, arrayOf, fields, flag, number, type Of, oneOf, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

type RecurringParam = { interval: Recurring['interval']; interval_count?: number | undefined }

const CURRENCIES = /^(usd|eur|gbp|chf|cad|aud|nzd|sek|nok|dkk|pln|czk)$/

const LOOKUP = { lookup_key: optional(text), transfer_lookup_key: optional(flag) }

const CREATE = {
  ...LOOKUP,
  product: optional(text),
  product_data: optional(fields({ name: text, metadata: optional(anything) })),
  currency: text,
  unit_amount: optional(number),
  recurring: optional(
    fields({ interval: oneOf('day', 'week', 'month', 'year'), interval_count: optional(number) }),
  ),
  tax_behavior: optional(text),
  metadata: optional(anything),
  nickname: optional(text),
  active: optional(flag),
}

const UPDATE = {
  ...LOOKUP,
  active: optional(flag),
  metadata: optional(anything),
  nickname: optional(text),
  tax_behavior: optional(text),
}

const LIST = {
  ...PAGING,
  ...CREATED,
  active: optional(flag),
  lookup_keys: optional(arrayOf(text)),
  product: optional(text),
  currency: optional(text),
  type: optional(text),
}

export const priceRoutes: Route[] = [
  route('POST /v1/prices', CREATE, create),
  route('GET /v1/prices', LIST, (call) => {
    const { active, lookup_keys, product, currency, type } = call.params
    return page(call, 'price', {
      equal: { product, currency, type, active },
      ...(lookup_keys !== undefined && { among: { lookup_key: lookup_keys } }),
    })
  }),
  route('GET /v1/prices/:id', {}, ({ tx, id }) => tx.need('price', id)),
  route('POST /v1/prices/:id', UPDATE, update),
]

/** A price that is made with what it is for, as `price_data`: sold to nobody else, so it is inactive from the beginning. */
export const PRICE_DATA = fields({
  product: text,
  currency: text,
  unit_amount: optional(number),
  recurring: fields({ interval: oneOf('day', 'week', 'month', 'year'), interval_count: optional(number) }),
  tax_behavior: optional(text),
})

export function makePriceOf(tx: Tx, given: Of<typeof PRICE_DATA>): Price {
  return makePrice(tx, { ...given, active: false })
}

function create({ tx, params }: CallWith<typeof CREATE>): Price {
  return makePrice(tx, params)
}

function makePrice(tx: Tx, params: CallWith<typeof CREATE>['params']): Price {
  const currency = params.currency.toLowerCase()
  if (!CURRENCIES.test(currency))
    throw invalid(`Invalid currency: ${currency}. Not supported by this sandbox.`, 'currency')
  const amount = params.unit_amount
  if (amount === undefined)
    throw invalid(
      'You must specify one of `unit_amount`, `unit_amount_decimal`, or `custom_unit_amount`.',
      'unit_amount',
    )
  if (amount < 0 || amount > 99_999_999)
    throw invalid('Invalid integer: must be from 0 to 99999999', 'unit_amount')
  const { recurring } = params
  const price = tx.make('price', {
    active: params.active ?? true,
    billing_scheme: 'per_unit',
    currency,
    product: productOf(tx, params),
    unit_amount: amount,
    unit_amount_decimal: String(amount),
    nickname: params.nickname ?? null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    lookup_key: takeLookupKey(tx, params, null),
    type: recurring === undefined ? 'one_time' : 'recurring',
    recurring: recurring === undefined ? null : inFull(recurring),
    metadata: mergeMetadata(null, params.metadata),
  })
  tx.add(price)
  tx.emit('price.created', price)
  return price
}

function update({ tx, params, id }: CallWith<typeof UPDATE>): Price {
  const price = tx.need('price', id)
  checkBehaviorStays(price, params.tax_behavior)
  const before = tx.change(price, {
    active: params.active ?? price.active,
    nickname: params.nickname === undefined ? price.nickname : params.nickname || null,
    tax_behavior: params.tax_behavior ?? price.tax_behavior,
    lookup_key: params.lookup_key === undefined ? price.lookup_key : takeLookupKey(tx, params, price.id),
    metadata: mergeMetadata(price.metadata, params.metadata),
  })
  if (Object.keys(before).length > 0) tx.emit('price.updated', price, before)
  return price
}

/** A price that says whether it includes tax says so for good (docs.stripe.com/api/prices/update). */
function checkBehaviorStays({ tax_behavior: own }: Price, wanted: string | undefined): void {
  if (wanted === undefined || wanted === own || own === null || own === 'unspecified') return
  throw invalid(
    `The \`tax_behavior\` of a price cannot be changed once it is \`inclusive\` or \`exclusive\`. This price is \`${own}\`.`,
    'tax_behavior',
  )
}

function productOf(tx: Tx, params: CallWith<typeof CREATE>['params']): string {
  if (params.product !== undefined) return tx.need('product', params.product, 'product').id
  const data = params.product_data
  if (data === undefined)
    throw invalid('You must specify either `product` or `product_data` when creating a price.', 'product')
  const product = tx.make('product', {
    name: data.name,
    active: true,
    updated: tx.now,
    metadata: mergeMetadata(null, data.metadata),
  })
  tx.add(product)
  tx.emit('product.created', product)
  return product.id
}

/** A lookup key names one price at a time; it moves only when the request asks for that. */
function takeLookupKey(
  tx: Tx,
  {
    lookup_key: key,
    transfer_lookup_key,
  }: { lookup_key?: string | undefined; transfer_lookup_key?: boolean | undefined },
  own: string | null,
): string | null {
  if (key === undefined || key === '') return null
  const [holder] = tx.objects.list('price', { equal: { lookup_key: key } }, { limit: 1 })
  if (holder === undefined || holder.id === own) return key
  if (transfer_lookup_key !== true)
    throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key')
  const before = tx.change(holder, { lookup_key: null })
  tx.emit('price.updated', holder, before)
  return key
}

function inFull({ interval, interval_count = 1 }: RecurringParam) {
  return { interval, interval_count, meter: null, trial_period_days: null, usage_type: 'licensed' }
}
