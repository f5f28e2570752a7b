import type { Queryable } from '../../platform/database.ts'
import { purgeRateLimits } from '../../platform/rate-limit.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import { purgeAuditBefore } from '../audit/audit.queries.ts'
import { purgeFactorChallenges } from '../factors/factor-challenges.queries.ts'
import { purgeFactorUndos } from '../factors/factor-undos.queries.ts'
import { purgeSessions } from '../sessions/purge-sessions.queries.ts'
import { sessionBounds } from '../sessions/session-life.ts'
import { purgeAccountCodes } from '../sign-in/account-codes.queries.ts'
import { purgeAuthCodes } from '../sign-in/auth-codes.queries.ts'
import { purgeChallenges } from '../sign-in/challenges.queries.ts'
import { oldAuthCodes } from '../sign-in/exchange-code.ts'
import { purgeAddresses } from '../users/addresses.queries.ts'

const AUDIT_KEPT_MS = 365 * 86_400_000

/** Forget what no rule asks for any more: challenges, counts of addresses, ended sessions, limits. Hourly is enough. */
export function authPurges(db: Queryable): Sweep[] {
  return [
    { name: 'purge of sign-in challenges', run: (now) => purgeChallenges(db, now) },
    { name: 'purge of sign-in addresses', run: (now) => purgeAddresses(db, now) },
    { name: 'purge of account codes', run: (now) => purgeAccountCodes(db, now) },
    { name: 'purge of factor undos', run: (now) => purgeFactorUndos(db, now) },
    { name: 'purge of sessions', run: (now) => purgeSessions(db, sessionBounds(now)) },
    { name: 'purge of factor challenges', run: (now) => purgeFactorChallenges(db, now) },
    { name: 'purge of auth codes', run: (now) => purgeAuthCodes(db, oldAuthCodes(now)) },
    {
      name: 'purge of the audit log',
      run: (now) => purgeAuditBefore(db, new Date(now.getTime() - AUDIT_KEPT_MS)),
    },
    { name: 'purge of rate limits', run: (now) => purgeRateLimits(db, now) },
  ]
}
