import type { RecordedCall } from './record-calls.ts'

/**
 * Requests of the product's about prices, trials and codes: an operation as the specification writes it, and a parameter with its value where
 * that matters. A run in which the tests have stopped sending one of them would judge nothing of it.
 */
const NEEDED: readonly (readonly [operation: string, parameter: string])[] = [
  ['POST /v1/prices', 'recurring[interval]=month'],
  ['POST /v1/prices', 'recurring[interval]=year'],
  ['POST /v1/checkout/sessions', 'subscription_data[trial_period_days]'],
  ['POST /v1/checkout/sessions', 'subscription_data[trial_settings][end_behavior][missing_payment_method]'],
  ['POST /v1/checkout/sessions', 'payment_method_collection=always'],
  ['POST /v1/checkout/sessions', 'discounts[0][promotion_code]'],
  ['POST /v1/coupons', 'percent_off'],
  ['POST /v1/coupons', 'amount_off'],
  ['POST /v1/coupons', 'applies_to[products][0]'],
  ['POST /v1/coupons', 'duration=once'],
  ['POST /v1/coupons', 'duration=forever'],
  ['POST /v1/coupons', 'duration_in_months=3'],
  ['POST /v1/promotion_codes', 'promotion[coupon]'],
  ['POST /v1/promotion_codes', 'max_redemptions'],
  ['POST /v1/promotion_codes', 'expires_at'],
  ['POST /v1/promotion_codes/{promotion_code}', 'active=false'],
  ['POST /v1/subscriptions/{subscription_exposed_id}', 'items[0][price]'],
  ['POST /v1/subscriptions/{subscription_exposed_id}', 'items[0][price_data][unit_amount]'],
  ['POST /v1/subscriptions/{subscription_exposed_id}', 'proration_behavior=none'],
  ['POST /v1/subscriptions/{subscription_exposed_id}', 'cancel_at_period_end=true'],
  ['GET /v1/subscriptions', 'expand[0]=data.discounts.source.coupon'],
  ['GET /v1/subscriptions/{subscription_exposed_id}', 'expand[0]=discounts.source.coupon'],
  ['GET /v1/payment_methods/{payment_method}', ''],
]

/** The parameters of a request, as `NEEDED` names them: each parameter by itself and with its value; empty for the operation alone. */
export function saidBy({ body, url }: RecordedCall): string[] {
  const query = url.split('?')[1] ?? ''
  return [...new URLSearchParams(`${query}&${body}`)]
    .flatMap(([name, value]) => [name, `${name}=${value}`])
    .concat('')
}

/** @param said by operation, of the product's requests that stripe-mock accepted @returns a line for each that is lacking */
export function unsentRequests(said: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return NEEDED.filter(([operation, parameter]) => !said.get(operation)?.has(parameter)).map(
    ([operation, parameter]) => `the product sent no ${operation} ${parameter} that was accepted`,
  )
}

export const NEEDED_COUNT = NEEDED.length
