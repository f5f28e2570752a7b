import type { FastifyRequest } from 'fastify'
import type { Queryable } from '../../platform/database/queryable.ts'
import { clientOf } from '../../platform/http/client.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { readAccessToken } from '../keys/access-tokens.ts'
import type { TokenDeps } from '../keys/signing-keys.ts'
import { hasExpired, isFresh, lastSeen } from './session-life.ts'
import { findBearer, markSessionSeen, markSuccessorSeen } from './sessions.queries.ts'

/** Dependencies of reading a request's token. */
type BearerDeps = TokenDeps & { db: Queryable; pipelined: Queryable }

/** A session's use is stored at most once in this time: a write for each request would be too much. */
const SEEN_EVERY_MS = 5 * 60_000

/** The caller and how surely it is them. */
export type BearerSession = Caller & {
  /** Both the token and its session have been confirmed with a second factor: an older token is not lifted. */
  isAal2: boolean
  /** They have a second factor and have not confirmed with it here. */
  needsSecondFactor: boolean
  /** The mailbox was proved in this session a moment ago. */
  isFresh: boolean
  /** The end of the access token. */
  tokenEndsAt: Date
}

/** Why a request has no caller. */
export type BearerFault = 'no_token' | 'bad_token' | 'session_ended' | 'suspended'

/**
 * The guard of the product API: bearer token to caller (section 3.1, rule G-40: the session's row is asked every time, so
 * a sign-out counts at once; a person who has a second factor must have confirmed with it, G-41).
 * @throws `unauthorized`, `account_suspended` for a suspended user, `second_factor_required`
 */
export async function authenticate(
  deps: BearerDeps,
  request: FastifyRequest,
  now: Date,
): Promise<BearerSession> {
  const caller = await checkBearer(deps, request, now)
  if (typeof caller === 'string') {
    throw refusal(caller === 'suspended' ? 'account_suspended' : 'unauthorized')
  }
  if (caller.needsSecondFactor) throw refusal('second_factor_required')
  return caller
}

/** Authenticates a request by its Authorization header, and notes the session as seen at the client's place. */
export async function checkBearer(
  deps: BearerDeps,
  request: FastifyRequest,
  now: Date,
): Promise<BearerSession | BearerFault> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!token) return 'no_token'
  const claims = await readAccessToken(deps, token, now)
  if (!claims) return 'bad_token'
  const session = await findBearer(deps.pipelined, claims.sessionId)
  if (!session || session.closed_at || !isAlive(session, claims.userId, now)) return 'session_ended'
  if (session.suspended_at) return 'suspended'
  if (!session.successor_seen && claims.generation === session.refresh_counter) {
    await markSuccessorSeen(deps.db, session.id, claims.generation)
  }
  if (now.getTime() - lastSeen(session).getTime() >= SEEN_EVERY_MS) {
    await markSessionSeen(deps.db, session.id, clientOf(request), now)
  }
  const isAal2 = claims.isAal2 && session.aal === 'aal2'
  return {
    userId: session.user_id,
    sessionId: session.id,
    email: session.email,
    isAal2,
    needsSecondFactor: !isAal2 && session.has_verified_factor,
    isFresh: isFresh(session, now),
    tokenEndsAt: claims.endsAt,
  }
}

/** Whether a session that was let in would be let in again, for what lasts longer than a request. */
export async function isStillLetIn(
  deps: { pipelined: Queryable },
  { isAal2, sessionId, userId }: BearerSession,
  now: Date,
): Promise<boolean> {
  const session = await findBearer(deps.pipelined, sessionId)
  if (!session || !isAlive(session, userId, now)) return false
  if (session.suspended_at || session.closed_at) return false
  return (isAal2 && session.aal === 'aal2') || !session.has_verified_factor
}

function isAlive(
  session: { user_id: string; revoked_at: Date | null; refreshed_at: Date; created_at: Date },
  userId: string,
  now: Date,
): boolean {
  return session.user_id === userId && !session.revoked_at && !hasExpired(session, now)
}
