import type { Session } from '@tradepost/contract/sessions'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { describePlace } from '../audit/describe-place.ts'
import { findFactors } from '../users/factors.queries.ts'
import { lastSeen, sessionBounds } from './session-life.ts'
import { findLiveSessions, type SessionRow } from './sessions.queries.ts'

const SESSIONS_SHOWN = 100

/** Where the caller is signed in: the hundred sessions that were used last, that of the caller among them first. */
export async function listSessions(
  deps: { db: Queryable },
  caller: Caller,
  now: Date,
): Promise<{ sessions: Session[] }> {
  const rows = await findLiveSessions(deps.db, caller.userId, sessionBounds(now), SESSIONS_SHOWN)
  const factors = await findFactors(deps.db, caller.userId)
  const hasFactor = factors.some(({ status }) => status === 'verified')
  const sessions = rows.map((row) => present(row, caller, hasFactor))
  return { sessions: sessions.toSorted((a, b) => Number(b.current) - Number(a.current)) }
}

function present(row: SessionRow, caller: Caller, hasFactor: boolean): Session {
  const signedInFrom = describePlace({ ip: row.ip, userAgent: row.user_agent })
  return {
    id: row.id,
    current: row.id === caller.sessionId,
    awaitsSecondStep: hasFactor && row.aal === 'aal1',
    seenAt: lastSeen(row).toISOString(),
    seenFrom:
      row.seen_at === null
        ? signedInFrom
        : describePlace({ ip: row.seen_ip, userAgent: row.seen_user_agent }),
    signedInAt: row.created_at.toISOString(),
    signedInFrom,
  }
}
