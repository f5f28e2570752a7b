import { withTransaction } from '../platform/database.ts'
import type { Caller } from '../platform/http/api-door.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import type { Client } from './client.ts'
import { revokeSessions, type SignOutScope } from './sessions.queries.ts'

/** Ends all sessions of the caller, this one, or all but this one; their tokens are worth nothing from then on. */
export async function signOut(
  deps: AuthDeps,
  caller: Caller,
  scope: SignOutScope,
  client: Client,
  now: Date,
): Promise<void> {
  const { userId, sessionId } = caller
  await withTransaction(deps.db, async (tx) => {
    await revokeSessions(tx, { userId, sessionId, scope }, now)
    await audit(deps, tx, { action: 'signed_out', userId, sessionId, detail: scope, client }, now)
  })
}
