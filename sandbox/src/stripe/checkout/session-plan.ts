import { BILLING_MODE, checkBillingMode, checkPercent, recurringPrice } from '../billing/read-plan.ts'
import { checkTrialDays, readMissingMethod, TRIAL_DAYS, TRIAL_SETTINGS } from '../billing/read-trial.ts'
import { checkDestination } from '../connect/destination.ts'
import { DISCOUNTS, type Order, readChoice } from '../discounts/choose.ts'
import { termsOf } from '../discounts/redeem.ts'
import { reductionOf } from '../discounts/reduce.ts'
import type { Price } from '../model/catalog.ts'
import type { SessionPlan } from '../model/checkout.ts'
import { invalid } from '../refusals/errors.ts'
import {
  anything,
  arrayOf,
  fields,
  flag,
  number,
  type ObjectOf,
  optional,
  text,
  whole,
} from '../shape/shape.ts'
import { INVOICE_SETTINGS } from '../tax/terms.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { Tx } from '../world/world.ts'
import { readSessionTax, TAX } from './session-tax.ts'
import { CONSENT } from './terms-consent.ts'

/** The parameters that open a checkout session. */
export const CREATE = {
  mode: optional(text),
  ui_mode: optional(text),
  customer: optional(text),
  customer_email: optional(text),
  client_reference_id: optional(text),
  line_items: optional(arrayOf(fields({ price: optional(text), quantity: optional(number) }))),
  allowed_payment_method_types: optional(arrayOf(text)),
  subscription_data: optional(
    fields({
      application_fee_percent: optional(number),
      billing_mode: BILLING_MODE,
      description: optional(text),
      metadata: optional(anything),
      invoice_settings: INVOICE_SETTINGS,
      trial_period_days: TRIAL_DAYS,
      trial_settings: TRIAL_SETTINGS,
      transfer_data: optional(whole(fields({ destination: text, amount_percent: optional(number) }))),
    }),
  ),
  allow_promotion_codes: optional(flag),
  discounts: DISCOUNTS,
  metadata: optional(anything),
  payment_method_collection: optional(text),
  success_url: optional(text),
  cancel_url: optional(text),
  expires_at: optional(number),
  integration_identifier: optional(text),
  locale: optional(text),
  submit_type: optional(text),
  ...TAX,
  ...CONSENT,
}

export type Params = ObjectOf<typeof CREATE>

/** The items that the session is to sell, and how the money is shared. */
export function readPlan(tx: Tx, params: Params) {
  const { line_items: lines = [], subscription_data: data = {} } = params
  const [line] = lines
  if (line?.price === undefined || lines.length !== 1)
    throw invalid(
      'Give exactly one line item with a price: this sandbox sells one price at a time.',
      'line_items',
    )
  const price = recurringPrice(tx, line.price, 'line_items[0][price]')
  checkBillingMode(data.billing_mode?.type, 'subscription_data[billing_mode][type]')
  const quantity = line.quantity ?? 1
  const plan: SessionPlan = {
    price: price.id,
    quantity,
    ...readShares(tx, data),
    metadata: mergeMetadata(null, data.metadata, 'subscription_data[metadata]'),
    description: data.description ?? null,
    trialDays: checkTrialDays(data.trial_period_days, 'subscription_data[trial_period_days]'),
    missingMethod: readMissingMethod(data.trial_settings, 'subscription_data'),
    tax: readSessionTax(tx, params, data.invoice_settings, price),
    discount: readChoice(tx, params.discounts, orderOf(params.customer ?? null, price, quantity)),
  }
  return { plan, price }
}

/** The order that a discount would be of: the price without it, also where free days come first. */
export function orderOf(customer: string | null, price: Price, quantity: number): Order {
  return { customer, product: price.product, amount: price.unit_amount * quantity, currency: price.currency }
}

/** The amounts that the session asks for today, in cents. */
export function amountsOf(tx: Tx, plan: SessionPlan, price: Price): { subtotal: number; discount: number } {
  const subtotal = (plan.trialDays ?? null) === null ? price.unit_amount * plan.quantity : 0
  const coupon = plan.discount?.coupon
  return { subtotal, discount: coupon === undefined ? 0 : reductionOf(termsOf(tx, coupon), subtotal) }
}

/** Where the money goes: a fee for the platform, or a share for the account, not both. */
function readShares(
  tx: Tx,
  { transfer_data: target, application_fee_percent }: NonNullable<Params['subscription_data']>,
): Pick<SessionPlan, 'feePercent' | 'transferData'> {
  if (target !== undefined)
    checkDestination(tx, target.destination, 'subscription_data[transfer_data][destination]')
  const feePercent = checkPercent(application_fee_percent, 'subscription_data[application_fee_percent]')
  if (feePercent !== null && target === undefined)
    throw invalid(
      'You can only apply an application_fee_percent when transfer_data[destination] is set or the request is made on behalf of a connected account.',
      'subscription_data[application_fee_percent]',
    )
  const share = checkPercent(target?.amount_percent, 'subscription_data[transfer_data][amount_percent]')
  if (feePercent !== null && share !== null)
    throw invalid(
      'You may only specify one of these parameters: application_fee_percent, transfer_data[amount_percent].',
      'subscription_data[transfer_data][amount_percent]',
    )
  return {
    feePercent,
    transferData: target === undefined ? null : { destination: target.destination, amount_percent: share },
  }
}
