import { createHash } from 'node:crypto'
import type { Card, PaymentMethod } from '../model/payments.ts'
import { declined, invalid, missing } from '../refusals/errors.ts'
import { optional, text } from '../shape/shape.ts'
import { PAGING, page } from '../wire/lists.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { behaviourOf, TEST_TOKENS } from './cards.ts'

const OF_CUSTOMER = { ...PAGING, type: optional(text) }
const LIST = { ...OF_CUSTOMER, customer: optional(text) }
const ATTACH = { customer: optional(text) }

export const paymentMethodRoutes: Route[] = [
  route('GET /v1/payment_methods', LIST, (call) => {
    const { customer, type } = call.params
    if (customer === undefined)
      throw invalid('Missing required param: customer.', 'customer', 'parameter_missing')
    return page(call, 'payment_method', { equal: { customer, type } })
  }),
  route('GET /v1/customers/:id/payment_methods', OF_CUSTOMER, (call) => {
    const customer = call.tx.need('customer', call.id).id
    return page(call, 'payment_method', { equal: { customer, type: call.params.type } })
  }),
  route('GET /v1/payment_methods/:id', {}, retrieve),
  route('POST /v1/payment_methods/:id/attach', ATTACH, attach),
  route('POST /v1/payment_methods/:id/detach', {}, detach),
]

function retrieve({ tx, id }: Call): PaymentMethod {
  const number = TEST_TOKENS[id]
  if (number === undefined) return tx.need('payment_method', id)
  return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, null)
}

function attach({ tx, params, id }: CallWith<typeof ATTACH>): PaymentMethod {
  const customer = tx.need('customer', params.customer ?? '', 'customer')
  const number = TEST_TOKENS[id]
  if (number !== undefined) {
    const { decline } = behaviourOf(number)
    if (decline !== undefined && !decline.savable)
      throw declined(decline.message, decline.code, decline.declineCode)
    return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, customer.id)
  }
  const method = tx.need('payment_method', id)
  if (method.customer === customer.id) return method
  if (method.customer !== null)
    throw invalid(
      'The payment method you provided has already been attached to a customer.',
      null,
      'resource_already_exists',
    )
  tx.change(method, { customer: customer.id })
  tx.emit('payment_method.attached', method)
  return method
}

function detach({ tx, id }: Call): PaymentMethod {
  const method = tx.need('payment_method', id)
  if (method.customer === null)
    throw invalid(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    )
  const before = tx.change(method, { customer: null })
  tx.emit('payment_method.detached', method, before)
  return method
}

/** Saves a card; attached to a customer, it is announced as such. */
export function addMethod(tx: Tx, card: Card, customer: string | null): PaymentMethod {
  const { brand } = behaviourOf(card.number)
  const owner = customer === null ? null : tx.objects.find('customer', customer)
  const method = tx.make('payment_method', {
    type: 'card',
    customer,
    allow_redisplay: 'limited',
    metadata: {},
    billing_details: { email: owner?.email ?? null, name: owner?.name ?? null },
    card: tx.part('payment_method', 'card', {
      brand,
      country: 'US',
      exp_month: card.expMonth,
      exp_year: card.expYear,
      fingerprint: createHash('sha256').update(card.number).digest('hex').slice(0, 16),
      funding: 'credit',
      last4: card.number.slice(-4),
      display_brand: brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      networks: { available: [brand], preferred: null },
      three_d_secure_usage: { supported: true },
    }),
  })
  tx.add(method, { notes: { number: card.number } })
  if (customer !== null) tx.emit('payment_method.attached', method)
  return method
}

/** The payment method that `id` names for this customer, also one of the ready test names. */
export function methodFor(tx: Tx, id: string, customer: string, param: string): PaymentMethod {
  const number = TEST_TOKENS[id]
  if (number !== undefined) return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, customer)
  const method = tx.need('payment_method', id, param)
  if (method.customer !== customer) throw missing('PaymentMethod', id, param)
  return method
}

function nextYear(tx: Tx): number {
  return new Date(tx.now * 1000).getUTCFullYear() + 1
}
