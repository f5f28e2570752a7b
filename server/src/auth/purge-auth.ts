import type { Queryable } from '../platform/database.ts'
import { purgeRateLimits } from '../platform/rate-limit.ts'
import { purgeAccountCodes } from './account-codes.queries.ts'
import { purgeAddresses } from './addresses.queries.ts'
import { purgeAuditBefore } from './audit.queries.ts'
import { purgeAuthCodes } from './auth-codes.queries.ts'
import { purgeChallenges } from './challenges.queries.ts'
import { oldAuthCodes } from './exchange-code.ts'
import { purgeFactorChallenges } from './factor-challenges.queries.ts'
import { purgeFactorUndos } from './factor-undos.queries.ts'
import { purgeSessions } from './purge-sessions.queries.ts'
import { sessionBounds } from './session-life.ts'

const AUDIT_KEPT_MS = 365 * 86_400_000

/** Forgets what no rule asks for any more: challenges, counts of addresses, ended sessions, limits. Hourly is enough. */
export async function purgeAuth(db: Queryable, now: Date): Promise<void> {
  await purgeChallenges(db, now)
  await purgeAddresses(db, now)
  await purgeAccountCodes(db, now)
  await purgeFactorUndos(db, now)
  await purgeSessions(db, sessionBounds(now))
  await purgeFactorChallenges(db, now)
  await purgeAuthCodes(db, oldAuthCodes(now))
  await purgeAuditBefore(db, new Date(now.getTime() - AUDIT_KEPT_MS))
  await purgeRateLimits(db, now)
}
