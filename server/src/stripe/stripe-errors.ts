import Stripe from 'stripe'
import { reasonOf } from '../platform/log.ts'

/** An answer of Stripe's in the place of what it was asked for, or that none came. */
export type StripeError = Stripe.errors.StripeError

export function isStripeError(error: unknown): error is StripeError {
  return error instanceof Stripe.errors.StripeError
}

/** Whether Stripe answers that the request itself is wrong. */
export function isInvalidRequest(error: unknown): error is StripeError {
  return error instanceof Stripe.errors.StripeInvalidRequestError
}

/** Whether Stripe refused for this reason (docs.stripe.com/error-codes). */
export function isCode(error: unknown, code: string): boolean {
  return isStripeError(error) && error.code === code
}

/** Whether Stripe refused in a way that only a person changes. A spent key is followed by another one at the next try. */
export function isLasting(error: unknown): error is StripeError {
  return isStripeError(error) && !healsByItself(error) && !isKeySpent(error)
}

/** Stripe's words for "there is none", of the first and of the second version of its API. */
const MISSING = ['resource_missing', 'not_found']

/** Whether Stripe answers that an object is not there. `param` narrows it to the object that a parameter names. */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    isStripeError(error) &&
    MISSING.includes(error.code ?? '') &&
    (param === undefined || error.param === param)
  )
}

/** Whether Stripe takes no second currency from a customer. It gives no code for that, so the sentence is matched. */
export function isCurrencyConflict(error: StripeError): boolean {
  return error.code === undefined && /combine currencies/i.test(error.message)
}

/** Whether Stripe asks for an address of the terms in the account's public details. It gives no code for that, so the parameter is matched. */
export function isTermsAddressMissing(error: StripeError): boolean {
  return error.param?.startsWith('consent_collection') === true
}

/** Whether Stripe understood and refused, so that asking again will not help: of an account that is closed by a 403. */
export function isRefused(error: unknown): boolean {
  if (!isStripeError(error)) return false
  if (error.code === 'account_invalid') return true
  const status = error.statusCode ?? 0
  return status >= 400 && status < 500 && ![401, 403, 409, 429].includes(status)
}

/**
 * Whether the same call may succeed without help a little later: no answer came, or Stripe was busy or failed.
 * Every other answer (400, 402, 403, 404 …) needs a person, or that something changes.
 */
export function healsByItself(error: StripeError): boolean {
  const status = error.statusCode ?? 0
  return status === 0 || status === 409 || status === 429 || status >= 500
}

/** The part of a failure that may be stored, such as `StripeCardError card_declined`. */
export function errorCode(error: StripeError): string {
  return [error.type, error.code].filter(Boolean).join(' ')
}

/**
 * Whether an idempotency key has been used up: Stripe keeps its own failure under it for a day, or knows it with
 * other parameters (docs.stripe.com/api/idempotent_requests). The next try needs another key.
 */
export function isKeySpent(error: unknown): boolean {
  if (!isStripeError(error)) return false
  if (error instanceof Stripe.errors.StripeIdempotencyError) return error.code !== 'idempotency_key_in_use'
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true'
}

/** The part of a failure that may be logged: never Stripe's sentence, which can hold an address; without an answer, why there is none. */
export function describeStripeError(error: unknown): object {
  if (!isStripeError(error)) return { reason: reasonOf(error) }
  return {
    ...(error.detail instanceof Error && { reason: reasonOf(error.detail) }),
    type: error.type,
    stripeCode: error.code,
    param: error.param,
    status: error.statusCode,
    stripeRequest: error.requestId,
  }
}
