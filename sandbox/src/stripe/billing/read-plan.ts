import { checkDestination } from '../connect/destination.ts'
import type { TransferData } from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import { invalid } from '../refusals/errors.ts'
import { either, fields, nullable, number, type Of, oneOf, optional, text, whole } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'

/** A price that a subscription can be made of. */
export function recurringPrice(tx: Tx, id: string, param: string): Price {
  const price = tx.need('price', id, param)
  if (!price.active)
    throw invalid('The price specified is inactive. This field only accepts active prices.', param)
  if (price.recurring === null)
    throw invalid(
      'You specified `subscription` mode but passed a one-time price only. Pass at least one recurring price.',
      param,
    )
  return price
}

/** Parameters of whatever makes or changes a subscription: its billing mode, the platform's fee, where its money goes. */
export const BILLING_MODE = optional(fields({ type: optional(text) }))
export const PERCENT = optional(nullable(either(number, oneOf(''))))
export const TRANSFER_DATA = optional(
  nullable(either(whole(fields({ destination: text, amount_percent: optional(number) })), oneOf(''))),
)

/** The sandbox bills in the mode that is Stripe's default (docs.stripe.com/billing/subscriptions/billing-mode). */
export function checkBillingMode(type: string | undefined, param: string): void {
  if (type !== undefined && type !== 'flexible')
    throw invalid('The payments sandbox knows the billing mode `flexible` only.', param)
}

/** The destination of a subscription's money, from the request. */
export function readTransferData(tx: Tx, given: Of<typeof TRANSFER_DATA>): TransferData | null {
  if (given === undefined || given === null || given === '') return null
  const { destination, amount_percent } = given
  checkDestination(tx, destination, 'transfer_data[destination]')
  return { destination, amount_percent: checkPercent(amount_percent, 'transfer_data[amount_percent]') }
}

/** A percentage as Stripe takes it: from 0 to 100, at most two decimals. */
export function checkPercent(percent: Of<typeof PERCENT>, param: string): number | null {
  if (percent === undefined || percent === null || percent === '') return null
  if (!(percent >= 0 && percent <= 100)) throw invalid('Invalid decimal: must be between 0 and 100', param)
  if (Math.abs(percent * 100 - Math.round(percent * 100)) > 1e-9)
    throw invalid('Invalid decimal: may have at most two decimal places', param)
  return percent
}
