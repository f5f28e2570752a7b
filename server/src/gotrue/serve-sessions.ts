import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { askForEmailChange } from '../auth/email-change/ask-for-email-change.ts'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { limitByIp, limitBySession } from '../auth/sessions/limit-sign-in.ts'
import { readUser } from '../auth/sessions/read-user.ts'
import { refreshSession } from '../auth/sessions/refresh-session.ts'
import { signOut } from '../auth/sessions/sign-out.ts'
import { updateUser } from '../auth/sessions/update-user.ts'
import { askToReauthenticate, reauthenticate } from '../auth/sign-in/account-codes.ts'
import { exchangeCode } from '../auth/sign-in/exchange-code.ts'
import { hasSignedIn } from '../auth/users/person.ts'
import { clientOf } from '../platform/http/client.ts'
import { wireError } from './wire-error.ts'
import { pkcePayload, readPayload, readScope, readUserChange, refreshPayload } from './wire-payloads.ts'
import { knowDevice, queryOf, requireBearer } from './wire-request.ts'
import { wireSession, wireUser } from './wire-session.ts'

/** Serves GoTrue's calls with or about a session: tokens, the user, a fresh code, identities, sign-out. */
export function serveSessions(app: FastifyInstance, deps: AuthDeps): void {
  // Without the limit by address that all routes have: a refused refresh would sign people out. Refreshes are limited by session,
  // exchanges below; a token that is not ours costs no statement.
  app.post('/token', { config: { rateLimit: false } }, (request, reply) => grantToken(deps, request, reply))

  app.get('/user', async (request) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    return wireUser(await readUser(deps, caller), now)
  })

  app.put('/user', async (request) => {
    const now = deps.clock.now()
    const caller = await requireBearer(deps, request, now)
    await limitBySession(deps, 'user', caller.sessionId, now)
    const client = clientOf(request)
    const { data, email, nonce } = readUserChange(request.body)
    if (nonce !== null) await reauthenticate(deps, caller, nonce, client, now)
    const user = await updateUser(deps, caller, data, client, now)
    if (email === null) return wireUser(user, now)
    await askForEmailChange(deps, caller, email, client, now)
    return wireUser(await readUser(deps, caller), now)
  })

  // GoTrue made it a GET, although it sends a mail.
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
