import { DISCOUNTS, readChoice } from '../discounts/choose.ts'
import type { Subscription } from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import type { Customer } from '../model/customers.ts'
import type { PaymentMethod } from '../model/payments.ts'
import type { TaxTerms } from '../model/tax.ts'
import { methodFor } from '../payments/payment-methods.ts'
import { declined, invalid } from '../refusals/errors.ts'
import { anything, arrayOf, fields, flag, number, optional, text } from '../shape/shape.ts'
import { factsOf } from '../tax/compute.ts'
import { isLocation } from '../tax/location.ts'
import {
  AUTOMATIC_TAX,
  checkBehavior,
  INVOICE_SETTINGS,
  readTaxTerms,
  unknownLocation,
} from '../tax/terms.ts'
import { checkStandsStill, timeOn } from '../time/time-on.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { CallWith } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { noMethod } from './default-method.ts'
import { checkCurrency } from './one-currency.ts'
import {
  BILLING_MODE,
  checkBillingMode,
  checkPercent,
  PERCENT,
  readTransferData,
  recurringPrice,
  TRANSFER_DATA,
} from './read-plan.ts'
import { readTrial, TRIAL_DAYS, TRIAL_END, TRIAL_SETTINGS } from './read-trial.ts'
import { startSubscription } from './start.ts'

export const CREATE = {
  customer: optional(text),
  items: optional(arrayOf(fields({ price: optional(text), quantity: optional(number) }))),
  default_payment_method: optional(text),
  application_fee_percent: PERCENT,
  transfer_data: TRANSFER_DATA,
  metadata: optional(anything),
  description: optional(text),
  payment_behavior: optional(text),
  billing_mode: BILLING_MODE,
  off_session: optional(flag),
  backdate_start_date: optional(number),
  proration_behavior: optional(text),
  discounts: DISCOUNTS,
  trial_period_days: TRIAL_DAYS,
  trial_end: TRIAL_END,
  trial_settings: TRIAL_SETTINGS,
  automatic_tax: AUTOMATIC_TAX,
  invoice_settings: INVOICE_SETTINGS,
}

/** A subscription through the API, with its first payment unless that is to wait. */
export function createSubscription({ tx, params }: CallWith<typeof CREATE>): Subscription {
  const customer = tx.need('customer', params.customer ?? '', 'customer')
  checkStandsStill(tx, customer.test_clock ?? null)
  const items = params.items ?? []
  const [item] = items
  if (item?.price === undefined || items.length !== 1)
    throw invalid('Give exactly one item with a price: this sandbox sells one price at a time.', 'items')
  checkBillingMode(params.billing_mode?.type, 'billing_mode[type]')
  const wait = params.payment_behavior === 'default_incomplete'
  const method = methodOf(tx, params, customer)
  const now = timeOn(tx, customer.test_clock ?? null)
  const trial = readTrial(params, now)
  if (method === null && !wait && trial === null) throw noMethod()
  const price = recurringPrice(tx, item.price, 'items[0][price]')
  checkCurrency(tx, customer.id, price.currency)
  const tax = readTax(tx, params, customer, price)
  const started = startSubscription(tx, {
    customer: customer.id,
    price,
    quantity: item.quantity ?? 1,
    method: wait ? null : method,
    presence: params.off_session === true ? 'away' : 'present',
    metadata: mergeMetadata(null, params.metadata),
    description: params.description ?? null,
    feePercent: checkPercent(params.application_fee_percent, 'application_fee_percent'),
    transferData: readTransferData(tx, params.transfer_data),
    startDate: startOf(params, now),
    trial,
    tax,
    discount: readChoice(tx, params.discounts, {
      customer: customer.id,
      product: price.product,
      amount: price.unit_amount * (item.quantity ?? 1),
      currency: price.currency,
    }),
  })
  if (wait && method !== null) tx.change(started.subscription, { default_payment_method: method.id })
  if (started.outcome?.kind === 'declined' && params.payment_behavior === 'error_if_incomplete')
    throw declined(started.outcome.message, started.outcome.code, started.outcome.declineCode)
  return started.subscription
}

function readTax(
  tx: Tx,
  { automatic_tax: automatic, invoice_settings: settings }: CallWith<typeof CREATE>['params'],
  customer: Customer,
  price: Price,
): TaxTerms {
  const terms = readTaxTerms(tx, { automatic, settings }, 'invoice_settings[issuer]')
  if (!terms.enabled) return terms
  checkBehavior(tx, price, 'items[0][price]')
  if (!isLocation(factsOf(tx, customer.id).address)) throw unknownLocation()
  return terms
}

/** @returns Unix time; undefined where it starts now */
function startOf(params: CallWith<typeof CREATE>['params'], now: number): number | undefined {
  const { backdate_start_date: start, proration_behavior: behavior } = params
  if (start === undefined) return undefined
  if (start >= now) throw invalid('The backdate_start_date must be in the past.', 'backdate_start_date')
  if (behavior !== 'none')
    throw invalid(
      'This sandbox asks nothing for the time before: send proration_behavior `none`.',
      'proration_behavior',
    )
  return start
}

function methodOf(
  tx: Tx,
  params: CallWith<typeof CREATE>['params'],
  customer: Customer,
): PaymentMethod | null {
  const id = params.default_payment_method ?? customer.invoice_settings.default_payment_method
  return id === null ? null : methodFor(tx, id, customer.id, 'default_payment_method')
}
