import type { FastifyReply } from 'fastify'
import { ApiError, type ErrorBody } from '../refusals/errors.ts'
import type { Fault, RefusedStatus } from './faults.ts'
import type { Incoming } from './incoming.ts'

/** Lets a fault strike; a slow request holds its idempotency key, so that a second one meets it in flight. */
export async function suffer(
  fault: Fault | null,
  incoming: Incoming,
  underWay: Set<string>,
  reply: FastifyReply,
): Promise<void> {
  if (fault?.kind === 'error') {
    reply.header('stripe-should-retry', 'true')
    throw new ApiError(fault.status, {
      type: 'api_error',
      message: 'An unknown error occurred (asked for by a test).',
    })
  }
  if (fault?.kind === 'rate-limit')
    throw new ApiError(429, {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message:
        'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
    })
  if (fault?.kind === 'refuse') throw refusedAsAsked(fault.status)
  if (fault?.kind !== 'slow') return
  if (incoming.key !== null) underWay.add(incoming.key)
  await new Promise((resolve) => setTimeout(resolve, fault.ms))
  if (incoming.key !== null) underWay.delete(incoming.key)
}

/** Type and code of Stripe's own refusals of each status (docs.stripe.com/error-codes), for no particular cause. */
const REFUSED: Record<RefusedStatus, Pick<ErrorBody, 'type' | 'code'>> = {
  400: { type: 'invalid_request_error', code: 'balance_insufficient' },
  401: { type: 'invalid_request_error' },
  402: { type: 'card_error', code: 'card_declined' },
  403: { type: 'invalid_request_error', code: 'secret_key_required' },
  404: { type: 'invalid_request_error', code: 'resource_missing' },
  409: { type: 'invalid_request_error', code: 'lock_timeout' },
}

function refusedAsAsked(status: RefusedStatus): ApiError {
  return new ApiError(status, { ...REFUSED[status], message: 'Refused (asked for by a test).' })
}
