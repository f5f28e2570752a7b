import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import {
  describeStripeError,
  errorCode,
  isLasting,
  isStripeError,
  type StripeError,
} from '../../stripe/stripe-errors.ts'
import { alertOperator } from './alert-operator.ts'
import type { BillingDeps } from './billing-deps.ts'

const DAY_SECONDS = 86_400

/**
 * Runs calls to Stripe on behalf of a person: an error of Stripe becomes the refusal that fits it (ADR 0073).
 * @throws payment_refused where Stripe would refuse tomorrow too, and the operator is mailed; payment_provider_error for
 * an error that passes by itself; every other error unchanged
 */
export async function callStripe<T>(
  { db, log }: Pick<BillingDeps, 'db' | 'log'>,
  now: Date,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isStripeError(error)) throw error
    log.warn(describeStripeError(error), 'Stripe did not do what it was asked')
    if (!isLasting(error)) throw refusal('payment_provider_error')
    await notifyOfRefusal(db, error, now)
    throw refusal('payment_refused')
  }
}

/**
 * Mails the operator of a lasting refusal, once for its kind and day (UTC), with Stripe's codes for the kind and the id by
 * which Stripe's dashboard finds the request; never with Stripe's sentence, which can hold an address.
 * @param kind a few words; those of the error's type, code and parameter unless given
 */
export async function notifyOfRefusal(
  db: Queryable,
  error: StripeError,
  now: Date,
  kind = `Stripe refuses a request (${[errorCode(error), error.param].filter(Boolean).join(' ')})`,
): Promise<void> {
  const limit = { key: `alert:${kind}`, max: 1, windowSeconds: DAY_SECONDS }
  await withTransaction(db, async (tx) => {
    if ((await overLimit(tx, limit, now)) !== null) return
    await alertOperator(tx, kind, error.requestId ?? 'a request without an id', now)
  })
}
