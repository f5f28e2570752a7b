import { linkPayload, returnedPayload } from '@tradepost/contract/auth'
import { normalizeEmail } from '@tradepost/contract/email-address'
import { readCode } from '@tradepost/contract/typed-code'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mailEmailChangeAgain } from '../auth/email-change/ask-for-email-change.ts'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { limitByIp } from '../auth/sessions/limit-sign-in.ts'
import type { SignedIn } from '../auth/sessions/open-session.ts'
import { requestAgain, requestCode } from '../auth/sign-in/request-code.ts'
import { lookUpLink, verifyCode, verifyLink } from '../auth/sign-in/verify-code.ts'
import { isReturned } from '../auth/users/addresses.queries.ts'
import { hasSignedIn } from '../auth/users/person.ts'
import { clientOf } from '../platform/http/client.ts'
import { EMAIL_CHANGE_TYPE, verifyEmailChange } from './verify-email-change.ts'
import { invalidField, wireError } from './wire-error.ts'
import {
  isPhoneNumber,
  isPhoneType,
  otpPayload,
  readCodeChallenge,
  readPayload,
  readPurpose,
  recoverPayload,
  resendPayload,
  type VerifyPayload,
  verifyPayload,
} from './wire-payloads.ts'
import { knowDevice, readAsker, readEmail, sessionIdOf } from './wire-request.ts'
import { wireSession } from './wire-session.ts'

/** The calls of the wire that ask for a mail and use what it brings. */
export function serveSignIn(app: FastifyInstance, deps: AuthDeps): void {
  serveMails(app, deps)
  app.post('/verify', async (request, reply) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'verify', request.ip, now)
    const payload = readPayload(verifyPayload, request.body)
    if (payload.type === EMAIL_CHANGE_TYPE) return verifyEmailChange(deps, { request, reply }, payload, now)
    const signedIn = await verify(deps, request, payload, now)
    if (hasSignedIn(signedIn)) knowDevice(deps, reply, signedIn.user, now)
    return wireSession(deps, signedIn, now)
  })
  app.post('/link', async (request) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'link', request.ip, now)
    const { token_hash } = readPayload(linkPayload, request.body)
    return lookUpLink(deps, token_hash, now)
  })
  app.post('/returned', async (request) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'returned', request.ip, now)
    const { code_challenge: codeChallenge, ...payload } = readPayload(returnedPayload, request.body)
    return { returned: await isReturned(deps.db, { email: readEmail(payload), codeChallenge }, now) }
  })
}

function serveMails(app: FastifyInstance, deps: AuthDeps): void {
  app.post('/otp', async (request) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'otp', request.ip, now)
    const payload = readPayload(otpPayload, request.body)
    const email = readEmail(payload)
    const asked = {
      email,
      asker: readAsker(deps, request, { email }, now),
      purpose: 'sign_in' as const,
      createUser: payload.create_user ?? true,
      codeChallenge: readCodeChallenge(payload),
    }
    await requestCode(deps, { ...asked, client: clientOf(request) }, now)
    return {}
  })

  app.post('/resend', async (request) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'otp', request.ip, now)
    const payload = readPayload(resendPayload, request.body)
    if (payload.type === 'sms' || payload.type === 'phone_change') throw wireError('phone_provider_disabled')
    const email = readEmail(payload)
    const codeChallenge = readCodeChallenge(payload)
    if (payload.type === EMAIL_CHANGE_TYPE) {
      const sessionId = await sessionIdOf(deps, request, now)
      await mailEmailChangeAgain(deps, { email, sessionId }, now)
      return {}
    }
    const asker = readAsker(deps, request, { email }, now)
    const asked = { email, asker, codeChallenge }
    await requestAgain(deps, { ...asked, client: clientOf(request) }, now)
    return {}
  })

  app.post('/recover', async (request) => {
    const now = deps.clock.now()
    await limitByIp(deps, 'otp', request.ip, now)
    const payload = readPayload(recoverPayload, request.body)
    const email = readEmail(payload)
    const asked = {
      email,
      asker: readAsker(deps, request, { email }, now),
      purpose: 'recovery' as const,
      createUser: false,
      codeChallenge: readCodeChallenge(payload),
    }
    await requestCode(deps, { ...asked, client: clientOf(request) }, now)
    return {}
  })
}

async function verify(
  deps: AuthDeps,
  request: FastifyRequest,
  { email, phone, token, token_hash, type }: VerifyPayload,
  now: Date,
): Promise<SignedIn> {
  if (isPhoneType(type) && token && !token_hash && (email || phone)) {
    if (phone && !isPhoneNumber(phone)) {
      throw invalidField('phone', 'Invalid phone number format (E.164 required)')
    }
    throw wireError('otp_expired')
  }
  const purpose = readPurpose(type)
  if (token_hash) {
    if (email || phone || token) {
      throw invalidField('token_hash', 'Only the token_hash and type should be provided')
    }
    return verifyLink(deps, { token: token_hash, purpose }, clientOf(request), now)
  }
  if (!email || !token) {
    throw invalidField(email ? 'token' : 'email', 'Verify requires an email and a token, or a token hash')
  }
  const normalized = normalizeEmail(email)
  const code = readCode(token)
  // As a wrong one, and no try of the address: it could not have been right (rule G-04).
  if (!normalized || code === null) throw wireError('otp_expired')
  const asker = readAsker(deps, request, { email: normalized }, now)
  return verifyCode(deps, { email: normalized, asker, code, purpose }, clientOf(request), now)
}
