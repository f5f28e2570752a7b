import type { FastifyInstance, FastifyRequest } from 'fastify'
import { challengeFactor } from '../auth/factors/challenge-factor.ts'
import { enrolTotp } from '../auth/factors/enrol-factor.ts'
import { removeFactor } from '../auth/factors/remove-factor.ts'
import { verifyFactor } from '../auth/factors/verify-factor.ts'
import { unixSeconds } from '../auth/keys/access-tokens.ts'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { limitByIp, limitBySession } from '../auth/sessions/limit-sign-in.ts'
import { clientOf } from '../platform/http/client.ts'
import { wireError } from './wire-error.ts'
import { factorAnswerPayload, factorPayload, readPayload } from './wire-payloads.ts'
import { knowDevice, readAsker, requireBearer } from './wire-request.ts'
import { wireSession } from './wire-session.ts'

/** The calls of the wire for second factors. They are listed with the user. */
export function serveFactors(app: FastifyInstance, deps: AuthDeps): void {
  app.post('/factors', async (request) => {
    const { caller, now } = await enter(deps, request)
    await limitByIp(deps, 'factor', request.ip, now)
    const wanted = readPayload(factorPayload, request.body)
    if (wanted.factor_type === 'phone') throw wireError('mfa_phone_enroll_not_enabled')
    if (wanted.factor_type === 'webauthn') throw wireError('mfa_webauthn_enroll_not_enabled')
    const named = { friendlyName: wanted.friendly_name ?? '', issuer: wanted.issuer || null }
    const { id, name, qrCode, secret, uri } = await enrolTotp(deps, caller, named, clientOf(request), now)
    return { id, type: 'totp', friendly_name: name, totp: { qr_code: qrCode, secret, uri } }
  })

  app.post('/factors/:id/challenge', async (request) => {
    const { caller, now } = await enter(deps, request)
    const { expiresAt, id, type } = await challengeFactor(deps, caller, factorIdOf(request), now)
    return { id, type, expires_at: unixSeconds(expiresAt) }
  })

  app.post('/factors/:id/verify', async (request, reply) => {
    const { caller, now } = await enter(deps, request)
    const { challenge_id, code } = readPayload(factorAnswerPayload, request.body)
    const at = { email: caller.email, factorId: factorIdOf(request) }
    const answer = {
      factorId: at.factorId,
      challengeId: challenge_id,
      code,
      asker: readAsker(deps, request, at, now),
    }
    const signedIn = await verifyFactor(deps, caller, answer, clientOf(request), now)
    knowDevice(deps, reply, at, now)
    return wireSession(deps, signedIn, now)
  })

  app.delete('/factors/:id', async (request) => {
    const { caller, now } = await enter(deps, request)
    return removeFactor(deps, caller, factorIdOf(request), clientOf(request), now)
  })
}

/** By session alone: a stranger who tries codes from the owner's own network uses up no tries of the owner (ADR 0083). */
async function enter(deps: AuthDeps, request: FastifyRequest) {
  const now = deps.clock.now()
  const caller = await requireBearer(deps, request, now)
  await limitBySession(deps, 'factor', caller.sessionId, now)
  return { caller, now }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function factorIdOf(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!UUID.test(id)) throw wireError('mfa_factor_not_found')
  return id
}
