import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import { AuthFault } from '../auth/keys/auth-fault.ts'
import { limitByIp } from '../auth/sessions/limit-sign-in.ts'
import { openSession } from '../auth/sessions/open-session.ts'
import type { ChallengeRow } from '../auth/sign-in/challenges.queries.ts'
import { issueAuthCode } from '../auth/sign-in/exchange-code.ts'
import { PKCE_PREFIX, type Purpose } from '../auth/sign-in/one-time-code.ts'
import { consumeLink } from '../auth/users/open-session.queries.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import { type Client, clientOf } from '../platform/http/client.ts'
import { sha256 } from '../platform/ids.ts'
import { reasonOf } from '../platform/log.ts'
import { redirectTarget, withCode, withError, withFragment } from './redirect-target.ts'
import { invalidField, toWireError, type WireError } from './wire-error.ts'
import { readPurpose } from './wire-payloads.ts'
import { queryOf } from './wire-request.ts'
import { wireSession } from './wire-session.ts'

/** The call of the wire that a mailed link makes where a client of its own has no page for it. */
export function serveLinks(app: FastifyInstance, deps: AuthDeps): void {
  // A client that only looks, as mail scanners do, uses nothing up.
  app.head('/verify', async (_request, reply) => reply.code(200).send())
  app.get('/verify', { exposeHeadRoute: false }, async (request, reply) => {
    const now = deps.clock.now()
    const token = queryOf(request, 'token')
    const type = queryOf(request, 'type')
    if (!token || !type) throw invalidField(token ? 'type' : 'token', 'Verify requires a token and a type')
    const purpose = readPurpose(type)
    const redirectTo = queryOf(request, 'redirect_to')
    try {
      await limitByIp(deps, 'verify', request.ip, now)
    } catch (error) {
      if (!(error instanceof AuthFault)) throw error
      return reply.redirect(refusedLink(deps, { token, redirectTo }, toWireError(error)), 303)
    }
    const opened = await openLink(deps, { token, type, purpose, redirectTo }, clientOf(request), now)
    if (opened.error && opened.error.status >= 500) {
      request.log.error(
        { reason: reasonOf(opened.cause), errorCode: opened.error.code },
        'a link failed to open',
      )
    }
    return reply.redirect(opened.location, 303)
  })
}

type OpenedLink = {
  token: string
  /** The kind of mail that the link names, passed on to the client. */
  type: string
  purpose: Purpose
  redirectTo: string | undefined
}

/**
 * Signs a person in who opens a mailed link, by a redirect (docs/specification.md section 5). The redirect carries tokens in
 * the fragment, or a code when the client that asked for the mail sent a PKCE challenge. The product's own mails lead to a
 * page of the web app instead; this route is for other clients of the protocol.
 * @returns the address to send the browser to. For a link that is refused, it names the error, and `error` and `cause` are set
 */
async function openLink(
  deps: AuthDeps,
  link: OpenedLink,
  client: Client,
  now: Date,
): Promise<{ location: string; error: WireError | null; cause: unknown }> {
  const target = redirectTarget(deps.origin, link.redirectTo)
  try {
    return { location: await signInByRedirect(deps, link, target, client, now), error: null, cause: null }
  } catch (cause) {
    const error = toWireError(cause)
    return { location: refusedLink(deps, link, error), error, cause }
  }
}

/** The address for a link that is refused without a look into the database, for example by a rate limit. */
function refusedLink(
  deps: { origin: string },
  link: { token: string; redirectTo: string | undefined },
  error: WireError,
): string {
  return withError(redirectTarget(deps.origin, link.redirectTo), error, link.token.startsWith(PKCE_PREFIX))
}

async function signInByRedirect(
  deps: AuthDeps,
  link: OpenedLink,
  target: URL,
  client: Client,
  now: Date,
): Promise<string> {
  const used = await withTransaction(deps.db, async (tx) => {
    const challenge = await consumeLink(tx, { sha256: sha256(link.token), purpose: link.purpose }, now)
    if (!challenge) throw new AuthFault('link_wrong')
    if (challenge.code_challenge) {
      const { code_challenge } = challenge
      const proof = { ...challenge, code_challenge, method: methodOf(link, challenge) }
      return { code: await issueAuthCode(tx, proof, now) }
    }
    return { opened: await openSession(deps, tx, { ...challenge, method: 'otp' }, client, now) }
  })
  if (used.code !== undefined) return withCode(target, used.code)
  if (!used.opened) throw new AuthFault('account_suspended')
  const session = await wireSession(deps, used.opened, now)
  // Alphabetical, the order in which GoTrue sends them.
  return withFragment(target, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    sb: '',
    token_type: session.token_type,
    type: link.type,
  })
}

function methodOf(link: OpenedLink, challenge: ChallengeRow): 'recovery' | 'email/signup' | 'magiclink' {
  if (challenge.purpose === 'recovery') return 'recovery'
  return link.type === 'signup' ? 'email/signup' : 'magiclink'
}
