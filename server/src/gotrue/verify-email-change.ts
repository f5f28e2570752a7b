import { FIRST_CODE_ACCEPTED } from '@tradepost/contract/auth'
import { normalizeEmail } from '@tradepost/contract/email-address'
import { readCode } from '@tradepost/contract/typed-code'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { confirmEmailChange } from '../auth/email-change/confirm-email-change.ts'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { hasSignedIn } from '../auth/users/person.ts'
import { clientOf } from '../platform/http/client.ts'
import { invalidField, LINK_WRONG, wireError } from './wire-error.ts'
import type { VerifyPayload } from './wire-payloads.ts'
import { knowDevice, sessionIdOf } from './wire-request.ts'
import { wireSession } from './wire-session.ts'

/** The type by which the wire names the codes of a change of address. */
export const EMAIL_CHANGE_TYPE = 'email_change'

/** POST /verify of a change of address: the first of its two codes is answered with a sentence, the second with a session (rule G-119). */
export async function verifyEmailChange(
  deps: AuthDeps,
  { reply, request }: { request: FastifyRequest; reply: FastifyReply },
  { email, token, token_hash }: VerifyPayload,
  now: Date,
) {
  // No mail of a change has a link, so none can be right.
  if (token_hash) throw wireError('otp_expired', LINK_WRONG)
  if (!email || !token) {
    throw invalidField(email ? 'token' : 'email', 'Verify requires an email and a token, or a token hash')
  }
  const mailbox = normalizeEmail(email)
  const code = readCode(token)
  if (!mailbox || code === null) throw wireError('otp_expired')
  const sessionId = await sessionIdOf(deps, request, now)
  const given = { email: mailbox, code, sessionId }
  const confirmed = await confirmEmailChange(deps, given, clientOf(request), now)
  if (confirmed.kind === 'half') return FIRST_CODE_ACCEPTED
  const { isKept, signedIn } = confirmed
  if (isKept || hasSignedIn(signedIn)) knowDevice(deps, reply, signedIn.user, now)
  return wireSession(deps, signedIn, now)
}
