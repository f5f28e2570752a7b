import { endSubscription } from '../billing/ending.ts'
import { LIVE } from '../model/billing.ts'
import type { Customer } from '../model/customers.ts'
import type { Deleted, Stored } from '../model/stored.ts'
import { invalid, missing } from '../refusals/errors.ts'
import { anything, either, fields, nullable, type ObjectOf, oneOf, optional, text } from '../shape/shape.ts'
import { ADDRESS, wholeAddress } from '../tax/location.ts'
import { checkStandsStill, clockForCustomer } from '../time/time-on.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

/** Fields of a customer that are kept as they are given. */
const PLAIN = {
  name: optional(text),
  phone: optional(text),
  description: optional(text),
  email: optional(text),
  shipping: optional(anything),
  preferred_locales: optional(anything),
  tax_exempt: optional(nullable(text)),
}

const UPDATE = {
  ...PLAIN,
  address: optional(nullable(either(ADDRESS, oneOf('')))),
  metadata: optional(anything),
  invoice_settings: optional(fields({ default_payment_method: optional(text) })),
}
const CREATE = { ...UPDATE, payment_method: optional(text), test_clock: optional(text) }
const LIST = { ...PAGING, ...CREATED, email: optional(text), test_clock: optional(text) }

export const customerRoutes: Route[] = [
  route('POST /v1/customers', CREATE, create),
  route('GET /v1/customers', LIST, (call) => {
    const { email, test_clock } = call.params
    return page(call, 'customer', {
      equal: { email, test_clock },
      // Without the clock's id Stripe leaves out those who live on one.
      empty: test_clock === undefined ? ['test_clock'] : [],
    })
  }),
  route('GET /v1/customers/:id', {}, retrieve),
  route('POST /v1/customers/:id', UPDATE, update),
  route('DELETE /v1/customers/:id', {}, remove),
]

function create({ tx, params }: CallWith<typeof CREATE>): Customer {
  const clock = params.test_clock === undefined ? null : clockForCustomer(tx, params.test_clock)
  const customer = tx.make('customer', {
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
  if (params.payment_method !== undefined)
    throw invalid('Attach the payment method after creating the customer in this sandbox.', 'payment_method')
  apply(customer, params)
  customer.metadata = mergeMetadata(null, params.metadata)
  tx.add(customer)
  tx.emit('customer.created', customer)
  return customer
}

/** A deleted customer can still be read, as the little that Stripe leaves of it. */
function retrieve({ tx, id }: Call): Stored {
  const found = tx.objects.look(id)
  if (found?.object !== 'customer') throw missing('customer', id)
  return found
}

function update({ tx, params, id }: CallWith<typeof UPDATE>): Customer {
  const customer = tx.need('customer', id)
  checkStandsStill(tx, customer.test_clock ?? null)
  const changed = structuredClone(customer)
  apply(changed, params)
  changed.metadata = mergeMetadata(customer.metadata, params.metadata)
  checkDefaultMethod(tx, changed)
  const before = tx.change(customer, changed)
  if (Object.keys(before).length > 0) tx.emit('customer.updated', customer, before)
  return customer
}

function remove({ tx, id }: Call): Deleted<'customer'> {
  const customer = tx.need('customer', id)
  checkStandsStill(tx, customer.test_clock ?? null)
  return deleteCustomer(tx, customer)
}

/** Ends a customer's subscriptions and leaves nothing of it but the id. */
export function deleteCustomer(tx: Tx, customer: Customer): Deleted<'customer'> {
  const { id } = customer
  const live = tx.objects.list(
    'subscription',
    { equal: { customer: id }, among: { status: LIVE } },
    { limit: 100 },
  )
  for (const subscription of live) endSubscription(tx, subscription, 'cancellation_requested')
  const remains = tx.objects.bury('customer', id)
  tx.emit('customer.deleted', customer)
  return remains
}

function apply(customer: Customer, params: ObjectOf<typeof UPDATE>): void {
  for (const [name, value] of Object.entries(params)) {
    if (Object.hasOwn(PLAIN, name)) Object.assign(customer, { [name]: value === '' ? null : value })
  }
  if (params.address !== undefined) customer.address = params.address ? wholeAddress(params.address) : null
  if (customer.email !== null && !/^[^@\s]+@[^@\s]+$/.test(customer.email))
    throw invalid(`Invalid email address: ${customer.email}`, 'email', 'email_invalid')
  const method = params.invoice_settings?.default_payment_method
  if (method !== undefined)
    customer.invoice_settings = { ...customer.invoice_settings, default_payment_method: method || null }
}

function checkDefaultMethod(tx: Tx, customer: Customer): void {
  const id = customer.invoice_settings.default_payment_method
  if (id === null) return
  const method = tx.need('payment_method', id, 'invoice_settings[default_payment_method]')
  if (method.customer !== customer.id)
    throw invalid(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      'invoice_settings[default_payment_method]',
      'resource_missing',
    )
}
