import { checkStandsStill } from '../clock/time-on.ts'
import type { Customer } from '../customers/types.ts'
import { methodFor, type PaymentMethod } from '../payments/payment-methods.ts'
import { declined, invalid } from '../wire/errors.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { Call } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import {
  checkBillingMode,
  checkPercent,
  readTransferData,
  recurringPrice,
  startSubscription,
} from './start.ts'

type ItemParam = { price?: string; quantity?: number }

/** A subscription through the API, with its first payment unless that is to wait. */
export function createSubscription({ tx, params }: Call): unknown {
  const customer = tx.need<Customer>('customer', String(params.customer ?? ''), 'customer')
  checkStandsStill(tx, customer.test_clock ?? null)
  const items = (params.items ?? []) as ItemParam[]
  const [item] = items
  if (item?.price === undefined || items.length !== 1)
    throw invalid('Give exactly one item with a price: this sandbox sells one price at a time.', 'items')
  checkBillingMode(params.billing_mode, 'billing_mode[type]')
  const wait = params.payment_behavior === 'default_incomplete'
  const method = methodOf(tx, params, customer)
  if (method === null && !wait)
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      null,
      'resource_missing',
    )
  const started = startSubscription(tx, {
    customer: customer.id,
    price: recurringPrice(tx, item.price, 'items[0][price]'),
    quantity: item.quantity ?? 1,
    method: wait ? null : method,
    presence: params.off_session === true ? 'away' : 'present',
    metadata: mergeMetadata(null, params.metadata),
    description: (params.description as string | undefined) ?? null,
    feePercent: checkPercent(params.application_fee_percent, 'application_fee_percent'),
    transferData: readTransferData(tx, params.transfer_data),
  })
  if (wait && method !== null) tx.change(started.subscription, { default_payment_method: method.id })
  if (started.outcome?.kind === 'declined' && params.payment_behavior === 'error_if_incomplete')
    throw declined(started.outcome.message, started.outcome.code, started.outcome.declineCode)
  return started.subscription
}

function methodOf(tx: Tx, params: Record<string, unknown>, customer: Customer): PaymentMethod | null {
  const id = params.default_payment_method ?? customer.invoice_settings.default_payment_method
  return typeof id === 'string' ? methodFor(tx, id, customer.id, 'default_payment_method') : null
}
