import type { Product } from '../model/catalog.ts'
import type { Deleted } from '../model/stored.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, flag, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'

const FIELDS = {
  active: optional(flag),
  description: optional(anything),
  metadata: optional(anything),
  images: optional(anything),
  url: optional(anything),
  statement_descriptor: optional(text),
  unit_label: optional(anything),
}

const CREATE = { ...FIELDS, name: text, id: optional(text), type: optional(text) }
const UPDATE = { ...FIELDS, name: optional(text), default_price: optional(text) }
const LIST = { ...PAGING, ...CREATED, active: optional(flag) }

export const productRoutes: Route[] = [
  route('POST /v1/products', CREATE, create),
  route('GET /v1/products', LIST, (call) => page(call, 'product', { equal: { active: call.params.active } })),
  route('GET /v1/products/:id', {}, ({ tx, id }) => tx.need('product', id)),
  route('POST /v1/products/:id', UPDATE, update),
  route('DELETE /v1/products/:id', {}, remove),
]

function create({ tx, params }: CallWith<typeof CREATE>): Product {
  const { id, metadata, name, ...rest } = params
  if (id !== undefined && tx.objects.look(id) !== null)
    throw invalid(`Product already exists.`, 'id', 'resource_already_exists')
  const product = tx.make('product', {
    id,
    name,
    active: true,
    default_price: null,
    statement_descriptor: null,
    unit_label: null,
    tax_code: null,
    updated: tx.now,
    ...nulled(rest),
    metadata: mergeMetadata(null, metadata),
  })
  tx.add(product)
  tx.emit('product.created', product)
  return product
}

function update({ tx, params, id }: CallWith<typeof UPDATE>): Product {
  const product = tx.need('product', id)
  const { metadata, ...rest } = params
  if (rest.default_price !== undefined) tx.need('price', rest.default_price, 'default_price')
  const before = tx.change(product, {
    ...nulled(rest),
    metadata: mergeMetadata(product.metadata, metadata),
  })
  if (Object.keys(before).length > 0) {
    tx.change(product, { updated: tx.now })
    tx.emit('product.updated', product, before)
  }
  return product
}

function remove({ tx, id }: Call): Deleted<'product'> {
  const product = tx.need('product', id)
  if (tx.objects.count('price', { equal: { product: id } }) > 0)
    throw invalid('This product cannot be deleted because it has one or more user-created prices.', null)
  const remains = tx.objects.bury('product', id)
  tx.emit('product.deleted', product)
  return remains
}

/** The fields as they are kept: an empty text takes one out, and what is to be expanded is none of them. */
function nulled(fields: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([name]) => name !== 'expand')
  return Object.fromEntries(kept.map(([name, value]) => [name, value === '' ? null : value]))
}
