import { itemOf, LIVE, type Subscription } from '../model/billing.ts'
import { methodFor } from '../payments/payment-methods.ts'
import { invalid } from '../refusals/errors.ts'
import {
  anything,
  either,
  fields,
  flag,
  nullable,
  number,
  type ObjectOf,
  type Of,
  oneOf,
  optional,
  record,
  text,
} from '../shape/shape.ts'
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
import { endsWithoutCard, newTerms, TERMS } from './change-terms.ts'
import { endSubscription, planEnd } from './ending.ts'
import { checkPercent, PERCENT, readTransferData, TRANSFER_DATA } from './read-plan.ts'
import { billNow } from './renewals.ts'
import { announce } from './trials.ts'

const DETAILS = optional(record)

export const UPDATE = {
  metadata: optional(anything),
  cancel_at_period_end: optional(flag),
  cancel_at: optional(nullable(either(number, text))),
  pause_collection: optional(
    nullable(either(fields({ behavior: oneOf('void', 'keep_as_draft', 'mark_uncollectible') }), oneOf(''))),
  ),
  default_payment_method: optional(text),
  application_fee_percent: PERCENT,
  transfer_data: TRANSFER_DATA,
  description: optional(nullable(text)),
  cancellation_details: DETAILS,
  automatic_tax: AUTOMATIC_TAX,
  invoice_settings: INVOICE_SETTINGS,
  ...TERMS,
}

export const CANCEL = {
  cancellation_details: DETAILS,
  invoice_now: optional(flag),
  prorate: optional(flag),
}

/** Changes a running subscription; of one that ended only its descriptive fields. */
export function updateSubscription({ tx, params, id }: CallWith<typeof UPDATE>): Subscription {
  const subscription = tx.need('subscription', id)
  checkStandsStill(tx, subscription.test_clock)
  const lasting = ['metadata', 'cancellation_details', 'expand']
  if (!LIVE.includes(subscription.status) && Object.keys(params).some((name) => !lasting.includes(name)))
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  const described = describedFields(tx, subscription, params)
  const asDescribed = { ...subscription, ...described }
  if (endsWithoutCard(tx, asDescribed, params)) {
    tx.change(subscription, described)
    endSubscription(tx, subscription, 'cancellation_requested')
    return subscription
  }
  const { fields, beginsNow } = newTerms(tx, asDescribed, params)
  if (params.trial_end === 'now') announce(tx, subscription)
  const changed = tx.change(subscription, { ...described, ...fields })
  const before = { ...tx.change(subscription, plannedEnd(tx, subscription, params, beginsNow)), ...changed }
  if (beginsNow) billNow(tx, subscription, before)
  else if (Object.keys(before).length > 0) tx.emit('customer.subscription.updated', subscription, before)
  return subscription
}

/** The fields that say how it is paid and described. */
function describedFields(
  tx: Tx,
  subscription: Subscription,
  params: ObjectOf<typeof UPDATE>,
): Partial<Subscription> {
  const fields: Partial<Subscription> = { metadata: mergeMetadata(subscription.metadata, params.metadata) }
  if (params.pause_collection !== undefined) fields.pause_collection = pauseOf(params.pause_collection)
  if (params.description !== undefined) fields.description = params.description || null
  if (params.transfer_data !== undefined) fields.transfer_data = readTransferData(tx, params.transfer_data)
  if (params.application_fee_percent !== undefined)
    fields.application_fee_percent = checkPercent(params.application_fee_percent, 'application_fee_percent')
  if (params.default_payment_method !== undefined)
    fields.default_payment_method = params.default_payment_method
      ? methodFor(tx, params.default_payment_method, subscription.customer, 'default_payment_method').id
      : null
  if (params.cancellation_details !== undefined)
    fields.cancellation_details = { ...subscription.cancellation_details, ...params.cancellation_details }
  return { ...fields, ...taxFields(tx, subscription, params) }
}

/** The tax terms of the invoices to come. */
function taxFields(
  tx: Tx,
  subscription: Subscription,
  { automatic_tax: automatic, invoice_settings: settings, items }: ObjectOf<typeof UPDATE>,
): Partial<Subscription> {
  const { enabled, liability, issuer } = readTaxTerms(tx, { automatic, settings }, 'invoice_settings[issuer]')
  if (enabled) {
    const { price } = itemOf(subscription)
    // Another price is looked at when it is read.
    if (items === undefined) checkBehavior(tx, tx.need('price', price.id), 'automatic_tax[enabled]')
    if (!isLocation(factsOf(tx, subscription.customer).address)) throw unknownLocation()
  }
  return {
    ...(automatic !== undefined && { automatic_tax: { disabled_reason: null, enabled, liability } }),
    ...(settings !== undefined && { invoice_settings: { ...subscription.invoice_settings, issuer } }),
  }
}

/** @param moved whether another period began: an end planned for the end of the period moves with it */
function plannedEnd(
  tx: Tx,
  subscription: Subscription,
  params: ObjectOf<typeof UPDATE>,
  moved: boolean,
): Partial<Subscription> {
  const end = itemOf(subscription).current_period_end
  if (params.cancel_at_period_end !== undefined && params.cancel_at !== undefined)
    throw invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.')
  if (params.cancel_at_period_end !== undefined) {
    const wanted = params.cancel_at_period_end
    if (!moved && wanted === subscription.cancel_at_period_end && (wanted || subscription.cancel_at === null))
      return {}
    return planEnd(tx, subscription, wanted ? end : null, wanted)
  }
  if (params.cancel_at === undefined)
    return moved && subscription.cancel_at_period_end ? planEnd(tx, subscription, end, true) : {}
  if (params.cancel_at === null || params.cancel_at === '') return planEnd(tx, subscription, null, false)
  const named = params.cancel_at === 'min_period_end' || params.cancel_at === 'max_period_end'
  const at = named ? end : Number(params.cancel_at)
  if (at <= timeOn(tx, subscription.test_clock))
    throw invalid('The `cancel_at` timestamp must be in the future.', 'cancel_at')
  return planEnd(tx, subscription, at, false)
}

function pauseOf(given: Of<typeof UPDATE.pause_collection>): Subscription['pause_collection'] {
  if (given === undefined || given === null || given === '') return null
  return { behavior: given.behavior, resumes_at: null }
}

/** Ends a subscription now. */
export function cancelSubscription({ tx, params, id }: CallWith<typeof CANCEL>): Subscription {
  const subscription = tx.need('subscription', id)
  checkStandsStill(tx, subscription.test_clock)
  // A subscription that ended is, to this call, no longer there.
  if (!LIVE.includes(subscription.status))
    throw invalid(`No such subscription: '${id}'`, 'id', 'resource_missing')
  // `invoice_now` bills metered usage and prorations that no invoice has yet; the sandbox has neither.
  if (params.prorate === true)
    throw invalid('The payments sandbox cancels without proration only.', 'prorate')
  if (params.cancellation_details !== undefined)
    tx.change(subscription, {
      cancellation_details: {
        ...subscription.cancellation_details,
        ...params.cancellation_details,
      },
    })
  endSubscription(tx, subscription, 'cancellation_requested')
  return subscription
}
