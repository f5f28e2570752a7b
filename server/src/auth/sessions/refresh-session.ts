import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { findPerson } from '../users/person.ts'
import { limitRefreshes } from './limit-sign-in.ts'
import type { SignedIn } from './open-session.ts'
import { type RefreshTokenContent, readRefreshToken } from './refresh-tokens.ts'
import { hasExpired, sessionBounds } from './session-life.ts'
import { findSession, revokeReplayed, rotateSession, type SessionRow } from './sessions.queries.ts'

/** For so long after a rotation the parent is answered again, whatever became of the successor. */
const PARENT_GRACE_MS = 10_000

/**
 * Trades a refresh token for the next pair (rule G-82). The direct parent of the newest token gets the newest one
 * again for 10 seconds, and later while that was never presented: two tabs, or an answer that got lost. Any other old
 * token counts as stolen and ends the session, with its newest descendant, although the request fails.
 * @throws `refresh_token_unknown`, `refresh_token_used`, `session_expired`, `refresh_of_suspended`; `refreshes_too_often`
 */
export async function refreshSession(
  deps: AuthDeps,
  token: string,
  client: Client,
  now: Date,
): Promise<SignedIn> {
  const presented = readRefreshToken(deps.secret, token)
  if (!presented) throw new AuthFault('refresh_token_unknown')
  await limitRefreshes(deps, presented.sessionId, now)
  const session =
    (await rotateSession(deps.db, presented, sessionBounds(now), client, now)) ??
    (await findNewest(deps, presented, client, now))
  const person = await findPerson(deps.db, session.user_id)
  if (!person) throw new AuthFault('refresh_token_unknown')
  return { session, ...person }
}

/** The session of a token that is not the newest, if its bearer may have the newest again. */
async function findNewest(
  deps: AuthDeps,
  presented: RefreshTokenContent,
  client: Client,
  now: Date,
): Promise<SessionRow> {
  const session = await findSession(deps.db, presented.sessionId)
  if (!session || session.revoked_at) throw new AuthFault('refresh_token_unknown')
  if (session.suspended_at) throw new AuthFault('refresh_of_suspended')
  if (hasExpired(session, now)) throw new AuthFault('session_expired')
  // A number from the future has not been handed out by this database.
  if (presented.counter >= session.refresh_counter) throw new AuthFault('refresh_token_unknown')
  const isParent = presented.counter === session.refresh_counter - 1
  const inGrace = now.getTime() - session.refreshed_at.getTime() <= PARENT_GRACE_MS
  if (isParent && (inGrace || !session.successor_seen)) return session
  // Another tab still had it when this session was confirmed with a second factor: no theft, so the session lives.
  if (inGrace && presented.counter === session.raised_from) throw new AuthFault('refresh_token_used')
  await revokeReplayed(deps.db, presented, now)
  const replayed = { action: 'token_replayed', userId: session.user_id, sessionId: session.id } as const
  await audit(deps, deps.db, { ...replayed, client }, now)
  throw new AuthFault('refresh_token_used')
}
