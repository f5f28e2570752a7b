import type { Stored } from '../store/objects.ts'
import { invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'

export type Product = Stored & { name: string; active: boolean; metadata: Record<string, string> }

const READS = [
  'name',
  'active',
  'description',
  'metadata',
  'images',
  'url',
  'statement_descriptor',
  'unit_label',
] as const

export const productRoutes: Route[] = [
  { endpoint: 'POST /v1/products', reads: [...READS, 'id', 'type'], answer: create },
  {
    endpoint: 'GET /v1/products',
    reads: [...PAGING, 'active', 'created'],
    answer: (call) =>
      page(call, 'product', {
        equal: call.params.active === undefined ? {} : { active: call.params.active === true },
      }),
  },
  { endpoint: 'GET /v1/products/:id', reads: [], answer: ({ tx, id }) => tx.need('product', id) },
  { endpoint: 'POST /v1/products/:id', reads: [...READS, 'default_price'], answer: update },
  { endpoint: 'DELETE /v1/products/:id', reads: [], answer: remove },
]

function create({ tx, params }: Call): Product {
  const { id, metadata, name, ...rest } = params
  if (typeof id === 'string' && tx.objects.find(id) !== null)
    throw invalid(`Product already exists.`, 'id', 'resource_already_exists')
  const product = tx.make<Product>('product', {
    ...(typeof id === 'string' && { id }),
    name,
    active: true,
    default_price: null,
    statement_descriptor: null,
    unit_label: null,
    tax_code: null,
    updated: tx.now,
    attributes: undefined,
    ...nulled(rest),
    metadata: mergeMetadata(null, metadata),
  })
  tx.add(product)
  tx.emit('product.created', product)
  return product
}

function update({ tx, params, id }: Call): Product {
  const product = tx.need<Product>('product', id)
  const { metadata, ...rest } = params
  delete rest.expand
  if (typeof rest.default_price === 'string') tx.need('price', rest.default_price, 'default_price')
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

function remove({ tx, id }: Call): Stored {
  const product = tx.need<Product>('product', id)
  if (tx.objects.count('price', { equal: { product: id } }) > 0)
    throw invalid('This product cannot be deleted because it has one or more user-created prices.', null)
  const deleted = { id, object: 'product', deleted: true }
  tx.objects.save(deleted)
  tx.emit('product.deleted', product)
  return deleted
}

function nulled(fields: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([name]) => name !== 'expand')
  return Object.fromEntries(kept.map(([name, value]) => [name, value === '' ? null : value]))
}
