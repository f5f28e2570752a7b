import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import type { BearerSession } from './authenticate.ts'
import { revokeSessions, type SignOutScope } from './sessions.queries.ts'

/**
 * Ends all sessions of the caller, this one, or all but this one; their tokens are worth nothing from then on. When the
 * account has a second factor, a caller who has not confirmed with it ends only sessions that have not either: access
 * to the mailbox alone is not enough to throw the owner out.
 */
export async function signOut(
  deps: AuthDeps,
  caller: BearerSession,
  scope: SignOutScope,
  client: Client,
  now: Date,
): Promise<void> {
  const { userId, sessionId } = caller
  await withTransaction(deps.db, async (tx) => {
    await revokeSessions(tx, { userId, sessionId, scope, onlyAal1: caller.needsSecondFactor }, now)
    await audit(deps, tx, { action: 'signed_out', userId, sessionId, detail: scope, client }, now)
  })
}
