/** The content of `error` in Stripe's answer that refuses. */
export type ErrorBody = {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error' | 'cannot_proceed'
  message: string
  code?: string
  param?: string
  decline_code?: string
  doc_url?: string
  request_log_url?: string
  charge?: string
  payment_intent?: unknown
}

/** A refusal in Stripe's own words and codes (docs.stripe.com/error-codes); the wire turns it into an answer. */
export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

/** 400: the request itself is wrong. */
export function invalid(message: string, param: string | null = null, code: string | null = null): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    message,
    ...(param !== null && { param }),
    ...(code !== null && {
      code,
      doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
    }),
  })
}

/** 400: a time that was to come has passed. @param at Unix time */
export function past(name: string, at: number): ApiError {
  return invalid(
    `The parameter \`${name}\` expects a unix timestamp representing a date and time in the future. You specified the value \`${at}\` which is in the past.`,
    name,
  )
}

/** 400: a time further away than Stripe takes any. */
export function tooFar(param: string): ApiError {
  return invalid('Invalid timestamp: can be no more than five years in the future.', param)
}

/** 404 for an id in the path, 400 for an id inside the parameters, as Stripe distinguishes them. */
export function missing(kind: string, id: string, param = 'id'): ApiError {
  return new ApiError(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
    message: `No such ${kind}: '${id}'`,
    param,
  })
}

/** 403: a connected account that never was, or is not the platform's to ask any more. */
export function inaccessible(account: string): ApiError {
  return new ApiError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    doc_url: 'https://stripe.com/docs/error-codes/account-invalid',
    message: `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
  })
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message })
}

/** 402: the card was declined. */
export function declined(
  message: string,
  code: string,
  declineCode: string | null,
  rest: Partial<ErrorBody> = {},
): ApiError {
  return new ApiError(402, {
    type: 'card_error',
    code,
    message,
    doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
    ...(declineCode !== null && { decline_code: declineCode }),
    ...rest,
  })
}

/** @throws ApiError when a text is no address of a page */
export function checkUrl(url: string, param: string): void {
  if (!/^https?:\/\/[^\s]+$/.test(url)) throw invalid('Not a valid URL', param, 'url_invalid')
}
