import { endSubscription } from '../billing/ending.ts'
import type { Subscription } from '../billing/types.ts'
import { LIVE } from '../billing/types.ts'
import { checkStandsStill, clockForCustomer } from '../clock/time-on.ts'
import type { Stored } from '../store/objects.ts'
import { invalid, missing } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import type { Customer } from './types.ts'

const PLAIN = ['name', 'phone', 'description'] as const
const READS = [
  'email',
  'metadata',
  'invoice_settings.default_payment_method',
  'address',
  'shipping',
  'preferred_locales',
  'tax_exempt',
  ...PLAIN,
]

export const customerRoutes: Route[] = [
  { endpoint: 'POST /v1/customers', reads: [...READS, 'payment_method', 'test_clock'], answer: create },
  {
    endpoint: 'GET /v1/customers',
    reads: [...PAGING, 'email', 'created', 'test_clock'],
    answer: listAll,
  },
  { endpoint: 'GET /v1/customers/:id', reads: [], answer: retrieve },
  { endpoint: 'POST /v1/customers/:id', reads: READS, answer: update },
  { endpoint: 'DELETE /v1/customers/:id', reads: [], answer: remove },
]

function listAll(call: Call): unknown {
  const { email, test_clock } = call.params
  return page(call, 'customer', {
    equal: {
      ...(email !== undefined && { email: String(email) }),
      ...(typeof test_clock === 'string' && { test_clock }),
    },
    // Without the clock's id Stripe leaves out those who live on one.
    empty: test_clock === undefined ? ['test_clock'] : [],
  })
}

function create({ tx, params }: Call): Customer {
  const clock = typeof params.test_clock === 'string' ? clockForCustomer(tx, params.test_clock) : null
  const customer = tx.make<Customer>('customer', {
    email: null,
    name: null,
    phone: null,
    address: null,
    currency: null,
    delinquent: false,
    discount: null,
    invoice_prefix: Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .toUpperCase()
      .padStart(8, '0'),
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
    test_clock: clock?.id ?? null,
    ...(clock !== null && { created: clock.frozen_time }),
  })
  apply(customer, params)
  customer.metadata = mergeMetadata(null, params.metadata)
  tx.add(customer)
  tx.emit('customer.created', customer)
  return customer
}

/** A deleted customer can still be read, as the little that Stripe leaves of it. */
function retrieve({ tx, id }: Call): Stored {
  const found = tx.objects.find(id)
  if (found === null || found.object !== 'customer') throw missing('customer', id)
  return found
}

function update({ tx, params, id }: Call): Customer {
  const customer = tx.need<Customer>('customer', id)
  checkStandsStill(tx, customer.test_clock ?? null)
  const changed = structuredClone(customer)
  apply(changed, params)
  changed.metadata = mergeMetadata(customer.metadata, params.metadata)
  checkDefaultMethod(tx, changed)
  const before = tx.change(customer, changed)
  if (Object.keys(before).length > 0) tx.emit('customer.updated', customer, before)
  return customer
}

function remove({ tx, id }: Call): Stored {
  const customer = tx.need<Customer>('customer', id)
  checkStandsStill(tx, customer.test_clock ?? null)
  return deleteCustomer(tx, customer)
}

/** Ends a customer's subscriptions and leaves nothing of it but the id. */
export function deleteCustomer(tx: Tx, customer: Customer): Stored {
  const { id } = customer
  const live = tx.objects.list(
    'subscription',
    { equal: { customer: id }, among: { status: [...LIVE] } },
    { limit: 100 },
  ) as Subscription[]
  for (const subscription of live) endSubscription(tx, subscription, 'cancellation_requested')
  const deleted = { id, object: 'customer', deleted: true }
  tx.objects.save(deleted)
  tx.emit('customer.deleted', customer)
  return deleted
}

function apply(customer: Customer, params: Record<string, unknown>): void {
  if (params.payment_method !== undefined)
    throw invalid('Attach the payment method after creating the customer in this sandbox.', 'payment_method')
  for (const name of [...PLAIN, 'email', 'address', 'shipping', 'preferred_locales', 'tax_exempt']) {
    const value = params[name]
    if (value !== undefined) customer[name] = value === '' ? null : value
  }
  if (typeof customer.email === 'string' && !/^[^@\s]+@[^@\s]+$/.test(customer.email))
    throw invalid(`Invalid email address: ${customer.email}`, 'email', 'email_invalid')
  const settings = params.invoice_settings as { default_payment_method?: string } | undefined
  if (settings?.default_payment_method !== undefined)
    customer.invoice_settings = {
      ...customer.invoice_settings,
      default_payment_method: settings.default_payment_method || null,
    }
}

function checkDefaultMethod(tx: Tx, customer: Customer): void {
  const id = customer.invoice_settings.default_payment_method
  if (id === null) return
  const method = tx.need<Stored & { customer: string | null }>(
    'payment_method',
    id,
    'invoice_settings[default_payment_method]',
  )
  if (method.customer !== customer.id)
    throw invalid(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      'invoice_settings[default_payment_method]',
      'resource_missing',
    )
}
