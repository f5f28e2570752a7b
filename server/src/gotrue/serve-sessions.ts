import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { hasSignedIn } from '../auth/sessions/known-device.ts'
import { limitByIp, limitBySession } from '../auth/sessions/limit-sign-in.ts'
import { readUser } from '../auth/sessions/read-user.ts'
import { refreshSession } from '../auth/sessions/refresh-session.ts'
import { signOut } from '../auth/sessions/sign-out.ts'
import { updateUser } from '../auth/sessions/update-user.ts'
import { exchangeCode } from '../auth/sign-in/exchange-code.ts'
import { askToReauthenticate, reauthenticate } from '../auth/sign-in/reauthenticate.ts'
import { clientOf } from '../platform/http/client.ts'
import { wireError } from './wire-error.ts'
import { pkcePayload, readPayload, readScope, readUserChange, refreshPayload } from './wire-payloads.ts'
import { knowDevice, queryOf, requireBearer } from './wire-request.ts'
import { wireSession, wireUser } from './wire-session.ts'

/** The calls of the wire that a session lives by: tokens, user, identities, sign-out. */
export function serveSessions(app: FastifyInstance, deps: AuthDeps): void {
  // No limit by address here: a refusal would sign people out, and a token that is not ours costs no statement.
  app.post('/token', { config: { rateLimit: false } }, (request, reply) => grantToken(deps, request, reply))

  app.get('/user', async (request) => {
    const caller = await requireBearer(deps, request, deps.clock.now())
    return wireUser(await readUser(deps, caller))
  })

  app.put('/user', async (request) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    await limitBySession(deps, 'user', caller.sessionId, now)
    const { data, nonce } = readUserChange(request.body)
    if (nonce !== null) await reauthenticate(deps, caller, nonce, clientOf(request), now)
    return wireUser(await updateUser(deps, caller, data, clientOf(request), now))
  })

  // GoTrue's: it asks for a mail, although it is a GET.
  app.get('/reauthenticate', { exposeHeadRoute: false }, async (request) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    await limitBySession(deps, 'user', caller.sessionId, now)
    await askToReauthenticate(deps, caller, clientOf(request), now)
    return {}
  })

  app.post('/logout', async (request, reply) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    await signOut(deps, caller, readScope(queryOf(request, 'scope')), clientOf(request), now)
    return reply.code(204).send()
  })

  // There is one way in, the mailed code, so there is nothing to link or to unlink.
  const refuseLinking = async (request: FastifyRequest) => {
    await requireBearer(deps, request, deps.clock.now())
    throw wireError('manual_linking_disabled')
  }
  app.get('/user/identities/authorize', refuseLinking)
  app.delete('/user/identities/:id', refuseLinking)
}

async function grantToken(deps: AuthDeps, request: FastifyRequest, reply: FastifyReply) {
  const now = deps.clock.now()
  const client = clientOf(request)
  switch (queryOf(request, 'grant_type')) {
    case 'refresh_token': {
      const { refresh_token: token } = readPayload(refreshPayload, request.body)
      return wireSession(deps, await refreshSession(deps, token, client, now), now)
    }
    case 'pkce': {
      const { auth_code, code_verifier } = readPayload(pkcePayload, request.body)
      await limitByIp(deps, 'exchange', request.ip, now)
      const signedIn = await exchangeCode(deps, { code: auth_code, verifier: code_verifier }, client, now)
      if (hasSignedIn(signedIn)) knowDevice(deps, reply, signedIn.user, now)
      return wireSession(deps, signedIn, now)
    }
    case 'password':
      throw wireError('email_provider_disabled')
    default:
      throw wireError('invalid_credentials')
  }
}
