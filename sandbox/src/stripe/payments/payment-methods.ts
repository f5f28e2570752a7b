import { createHash } from 'node:crypto'
import type { Stored } from '../store/objects.ts'
import { declined, invalid, missing } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { behaviourOf, type Card, TEST_TOKENS } from './cards.ts'

export type PaymentMethod = Stored & {
  customer: string | null
  type: 'card'
  card: { brand: string; last4: string; exp_month: number; exp_year: number; [field: string]: unknown }
}

export const paymentMethodRoutes: Route[] = [
  {
    endpoint: 'GET /v1/payment_methods',
    reads: [...PAGING, 'customer', 'type'],
    answer(call) {
      const { customer } = call.params
      if (typeof customer !== 'string')
        throw invalid('Missing required param: customer.', 'customer', 'parameter_missing')
      return page(call, 'payment_method', { equal: { customer, ...ofType(call) } })
    },
  },
  {
    endpoint: 'GET /v1/customers/:id/payment_methods',
    reads: [...PAGING, 'type'],
    answer: (call) =>
      page(call, 'payment_method', {
        equal: { customer: call.tx.need('customer', call.id).id, ...ofType(call) },
      }),
  },
  { endpoint: 'GET /v1/payment_methods/:id', reads: [], answer: retrieve },
  { endpoint: 'POST /v1/payment_methods/:id/attach', reads: ['customer'], answer: attach },
  { endpoint: 'POST /v1/payment_methods/:id/detach', reads: [], answer: detach },
]

function ofType({ params }: Call): { type?: string } {
  return typeof params.type === 'string' ? { type: params.type } : {}
}

function retrieve({ tx, id }: Call): PaymentMethod {
  const number = TEST_TOKENS[id]
  if (number === undefined) return tx.need('payment_method', id)
  return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, null)
}

function attach({ tx, params, id }: Call): PaymentMethod {
  const customer = tx.need('customer', String(params.customer ?? ''), 'customer')
  const number = TEST_TOKENS[id]
  if (number !== undefined) {
    const { decline } = behaviourOf(number)
    if (decline !== undefined && !decline.savable)
      throw declined(decline.message, decline.code, decline.declineCode)
    return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, customer.id)
  }
  const method = tx.need<PaymentMethod>('payment_method', id)
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
  const method = tx.need<PaymentMethod>('payment_method', id)
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
  const owner = customer === null ? null : tx.objects.find(customer)
  const method = tx.make<PaymentMethod>('payment_method', {
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
  tx.add(method, { number: card.number })
  if (customer !== null) tx.emit('payment_method.attached', method)
  return method
}

/** The payment method that `id` names for this customer, also one of the ready test names. */
export function methodFor(tx: Tx, id: string, customer: string, param: string): PaymentMethod {
  const number = TEST_TOKENS[id]
  if (number !== undefined) return addMethod(tx, { number, expMonth: 12, expYear: nextYear(tx) }, customer)
  const method = tx.need<PaymentMethod>('payment_method', id, param)
  if (method.customer !== customer) throw missing('PaymentMethod', id, param)
  return method
}

function nextYear(tx: Tx): number {
  return new Date(tx.now * 1000).getUTCFullYear() + 1
}
