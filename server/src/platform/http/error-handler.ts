import type { ApiError } from '@tradepost/contract/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { reasonOf } from '../log.ts'
import { Refusal, refusal } from './refusal.ts'

const RETRY_AFTER_OUTAGE_SECONDS = 5

/**
 * The one place where an error becomes an answer of the product API (section 3.1): refusals as themselves, bodies that
 * cannot be read as 400, an absent database as 503, all else as 500 with no detail. Only faults of ours are logged.
 */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = refuse(error, request, reply)
  const body: ApiError = { message: known.message, code: known.code, requestId: request.id }
  return reply.send({ ...body, ...known.beside })
}

/** Logs a fault of ours, and writes what every answer to an error has: status and headers. @returns what it is to people */
export function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Refusal {
  const known = toRefusal(error)
  if (known.status >= 500) {
    // The reason only: an error's own fields can quote the values that a person sent.
    request.log.error({ reason: reasonOf(error), refusal: known.code }, 'a request failed')
  }
  if (known.retryAfterSeconds !== null) reply.header('retry-after', String(known.retryAfterSeconds))
  reply.code(known.status).header('cache-control', 'no-store')
  return known
}

/** An address without a route: 405 with `Allow` where other methods have one (rule G-88), else 404. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return answerError(
    refusal(allowOthers(request, reply) ? 'method_not_allowed' : 'not_found'),
    request,
    reply,
  )
}

/**
 * Writes `Allow` when an address that has no route for this method has routes for others. Where this method has one too, its
 * route found nothing to show, such as a trader of a name that nobody can have.
 * @returns whether the method is what is wrong
 */
export function allowOthers(request: FastifyRequest, reply: FastifyReply): boolean {
  const methods = request.server.methodsOf(request.url.split('?', 1)[0] ?? '')
  if (methods.length === 0 || methods.includes(request.method)) return false
  reply.header('allow', methods.join(', '))
  return true
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const status = (error as FastifyError).statusCode ?? 500
  // 503: an answer that took too long.
  if (isDatabaseUnavailable(error) || status === 503)
    return refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_OUTAGE_SECONDS })
  if (status === 413) return refusal('payload_too_large')
  if (status === 429) return refusal('rate_limited')
  if (status >= 400 && status < 500) return refusal('bad_request')
  return refusal('internal')
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that a path is served by. */
    methodsOf: (path: string) => string[]
  }
}
