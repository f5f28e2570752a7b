import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { emailProblem, normalizeEmail } from '@tradepost/contract/email-address'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { type BearerFault, type BearerSession, checkBearer } from '../auth/sessions/authenticate.ts'
import { askerOf, type KnownAt, makeDeviceProof } from '../auth/sessions/known-device.ts'
import type { Asker } from '../auth/users/addresses.queries.ts'
import { invalidEmail, invalidField, type WireErrorCode, wireError } from './wire-error.ts'

const FAULTS = {
  no_token: 'no_authorization',
  bad_token: 'bad_jwt',
  session_ended: 'session_not_found',
  suspended: 'user_banned',
} as const satisfies Record<BearerFault, WireErrorCode>

/** Authenticates the caller. @throws what the wire answers without a caller: 401 without a token, 403 with one that is worth nothing */
export async function requireBearer(
  deps: AuthDeps,
  request: FastifyRequest,
  now: Date,
): Promise<BearerSession> {
  const caller = await checkBearer(deps, request, now)
  if (typeof caller === 'string') throw wireError(FAULTS[caller])
  return caller
}

/** The session of a caller who need not show one; null without a token, or with one that is worth nothing. */
export async function sessionIdOf(
  deps: AuthDeps,
  request: FastifyRequest,
  now: Date,
): Promise<string | null> {
  const caller = await checkBearer(deps, request, now)
  return typeof caller === 'string' ? null : caller.sessionId
}

/** A parameter of the address that was given once. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether the request comes from a device that has signed in to this address before, or has passed this second factor. */
export function readAsker(deps: AuthDeps, request: FastifyRequest, at: KnownAt, now: Date): Asker {
  return askerOf(deps.secret, request.headers[KNOWN_DEVICE_HEADER], at, now)
}

/**
 * Hands the device what it will be known by, beside the answer to a sign-in that succeeded: in a header, which clients
 * that do not know of it ignore.
 */
export function knowDevice(deps: AuthDeps, reply: FastifyReply, at: KnownAt, now: Date): void {
  reply.header(KNOWN_DEVICE_HEADER, makeDeviceProof(deps.secret, at, now))
}

/** The address of a body, in the one spelling. @throws `validation_failed`, `email_address_invalid`, `phone_provider_disabled` */
export function readEmail(payload: {
  email?: string | null | undefined
  phone?: string | null | undefined
}): string {
  if (payload.email && payload.phone) {
    throw invalidField('phone', 'Only an email address or phone number should be provided')
  }
  if (payload.phone) throw wireError('phone_provider_disabled')
  if (!payload.email) throw invalidField('email', 'One of email or phone must be set')
  const email = normalizeEmail(payload.email)
  if (email) return email
  const problem = emailProblem(payload.email)
  if (problem !== null) throw invalidEmail(problem)
  throw invalidField('email', 'Unable to validate email address: invalid format')
}
