import type { Filter, Stored } from '../store/objects.ts'
import { invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Product } from './products.ts'

export type Interval = 'day' | 'week' | 'month' | 'year'

export type Price = Stored & {
  active: boolean
  currency: string
  product: string
  unit_amount: number
  lookup_key: string | null
  metadata: Record<string, string>
  recurring: { interval: Interval; interval_count: number; [field: string]: unknown } | null
}

const CURRENCIES = /^(usd|eur|gbp|chf|cad|aud|nzd|sek|nok|dkk|pln|czk)$/

export const priceRoutes: Route[] = [
  {
    endpoint: 'POST /v1/prices',
    reads: [
      'product',
      'product_data.name',
      'product_data.metadata',
      'currency',
      'unit_amount',
      'recurring.interval',
      'recurring.interval_count',
      'lookup_key',
      'transfer_lookup_key',
      'tax_behavior',
      'metadata',
      'nickname',
      'active',
    ],
    answer: create,
  },
  {
    endpoint: 'GET /v1/prices',
    reads: [...PAGING, 'active', 'lookup_keys', 'product', 'currency', 'created', 'type'],
    answer: (call) => page(call, 'price', filterOf(call.params)),
  },
  { endpoint: 'GET /v1/prices/:id', reads: [], answer: ({ tx, id }) => tx.need('price', id) },
  {
    endpoint: 'POST /v1/prices/:id',
    reads: ['active', 'lookup_key', 'transfer_lookup_key', 'metadata', 'nickname', 'tax_behavior'],
    answer: update,
  },
]

function create({ tx, params }: Call): Price {
  const currency = String(params.currency).toLowerCase()
  if (!CURRENCIES.test(currency))
    throw invalid(`Invalid currency: ${currency}. Not supported by this sandbox.`, 'currency')
  const amount = params.unit_amount
  if (typeof amount !== 'number')
    throw invalid(
      'You must specify one of `unit_amount`, `unit_amount_decimal`, or `custom_unit_amount`.',
      'unit_amount',
    )
  if (amount < 0 || amount > 99_999_999)
    throw invalid('Invalid integer: must be from 0 to 99999999', 'unit_amount')
  const price = tx.make<Price>('price', {
    active: params.active ?? true,
    billing_scheme: 'per_unit',
    currency,
    product: productOf(tx, params),
    unit_amount: amount,
    unit_amount_decimal: String(amount),
    nickname: params.nickname ?? null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    lookup_key: takeLookupKey(tx, params, null),
    type: params.recurring === undefined ? 'one_time' : 'recurring',
    recurring:
      params.recurring === undefined ? null : recurringOf(params.recurring as Partial<Price['recurring']>),
    metadata: mergeMetadata(null, params.metadata),
  })
  tx.add(price)
  tx.emit('price.created', price)
  return price
}

function update({ tx, params, id }: Call): Price {
  const price = tx.need<Price>('price', id)
  const before = tx.change(price, {
    active: (params.active as boolean | undefined) ?? price.active,
    nickname: params.nickname === undefined ? price.nickname : params.nickname || null,
    tax_behavior: params.tax_behavior ?? price.tax_behavior,
    lookup_key: params.lookup_key === undefined ? price.lookup_key : takeLookupKey(tx, params, price.id),
    metadata: mergeMetadata(price.metadata, params.metadata),
  })
  if (Object.keys(before).length > 0) tx.emit('price.updated', price, before)
  return price
}

function productOf(tx: Call['tx'], params: Record<string, unknown>): string {
  if (typeof params.product === 'string') return tx.need('product', params.product, 'product').id
  const data = params.product_data as { name: string; metadata?: unknown } | undefined
  if (data === undefined)
    throw invalid('You must specify either `product` or `product_data` when creating a price.', 'product')
  const product = tx.make<Product>('product', {
    name: data.name,
    active: true,
    updated: tx.now,
    metadata: mergeMetadata(null, data.metadata),
  })
  tx.add(product)
  tx.emit('product.created', product)
  return product.id
}

/** A lookup key names one price at a time; it moves only when the caller says so. */
function takeLookupKey(tx: Call['tx'], params: Record<string, unknown>, own: string | null): string | null {
  const key = params.lookup_key
  if (typeof key !== 'string' || key === '') return null
  const [holder] = tx.objects.list('price', { equal: { lookup_key: key } }, { limit: 1 }) as Price[]
  if (holder === undefined || holder.id === own) return key
  if (params.transfer_lookup_key !== true)
    throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key')
  const before = tx.change(holder, { lookup_key: null })
  tx.emit('price.updated', holder, before)
  return key
}

function recurringOf(given: Partial<Price['recurring']>): Price['recurring'] {
  return {
    interval: given?.interval ?? 'month',
    interval_count: given?.interval_count ?? 1,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
}

function filterOf(params: Record<string, unknown>): Filter {
  const equal: NonNullable<Filter['equal']> = {}
  for (const name of ['product', 'currency', 'type']) {
    if (typeof params[name] === 'string') equal[name] = params[name]
  }
  if (typeof params.active === 'boolean') equal.active = params.active
  const keys = params.lookup_keys as string[] | undefined
  return { equal, ...(keys !== undefined && { among: { lookup_key: keys } }) }
}
