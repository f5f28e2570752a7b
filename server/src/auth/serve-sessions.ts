import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientOf } from '../platform/http/client.ts'
import type { AuthDeps } from './auth-deps.ts'
import { exchangeCode } from './exchange-code.ts'
import { hasSignedIn } from './known-device.ts'
import { limitByIp, limitBySession } from './limit-sign-in.ts'
import { readUser } from './read-user.ts'
import { askToReauthenticate, reauthenticate } from './reauthenticate.ts'
import { refreshSession } from './refresh-session.ts'
import { signOut } from './sign-out.ts'
import { updateUser } from './update-user.ts'
import { wireError } from './wire-error.ts'
import { pkcePayload, readPayload, readScope, readUserChange, refreshPayload } from './wire-payloads.ts'
import { knowDevice, queryOf, requireBearer } from './wire-request.ts'

/** The calls of the wire that a session lives by: tokens, user, identities, sign-out. */
export function serveSessions(app: FastifyInstance, deps: AuthDeps): void {
  // No limit by address here: a refusal would sign people out, and a token that is not ours costs no statement.
  app.post('/token', { config: { rateLimit: false } }, (request, reply) => grantToken(deps, request, reply))

  app.get('/user', async (request) => {
    const caller = await requireBearer(deps, request, deps.clock.now())
    return readUser(deps, caller)
  })

  app.put('/user', async (request) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    await limitBySession(deps, 'user', caller.sessionId, now)
    const { data, nonce } = readUserChange(request.body)
    if (nonce !== null) await reauthenticate(deps, caller, nonce, clientOf(request), now)
    return updateUser(deps, caller, data, clientOf(request), now)
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
    case 'refresh_token':
      return refreshSession(deps, readPayload(refreshPayload, request.body).refresh_token, client, now)
    case 'pkce': {
      const { auth_code, code_verifier } = readPayload(pkcePayload, request.body)
      await limitByIp(deps, 'exchange', request.ip, now)
      const session = await exchangeCode(deps, { code: auth_code, verifier: code_verifier }, client, now)
      if (hasSignedIn(session.user)) knowDevice(deps, reply, session.user, now)
      return session
    }
    case 'password':
      throw wireError('email_provider_disabled')
    default:
      throw wireError('invalid_credentials')
  }
}
