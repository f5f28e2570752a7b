import { type Queryable, withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { audit } from './audit.ts'
import type { SecretKey } from './secret-key.ts'
import { findSession, lockSession, revokeSession } from './sessions.queries.ts'

/**
 * Ends one session of the caller, also the one that asks; its tokens are worth nothing from then on. As with signing out,
 * a session without the second factor ends none that has it: the guard lets no such caller in, and one whose account got
 * its factor a moment ago is refused here. A session that has ended stays so.
 * @throws `not_found` when the caller has no such session, `second_factor_required`
 */
export async function endSession(
  deps: { db: Queryable; secret: SecretKey },
  caller: Caller,
  id: string,
  client: Client,
  now: Date,
): Promise<void> {
  const { userId, sessionId } = caller
  await withTransaction(deps.db, async (tx) => {
    const session = await lockSession(tx, id)
    if (!session || session.user_id !== userId) throw refusal('not_found')
    if (session.revoked_at) return
    const own = id === sessionId ? session : await findSession(tx, sessionId)
    if (session.aal === 'aal2' && own?.aal !== 'aal2') throw refusal('second_factor_required')
    await revokeSession(tx, id, now)
    await audit(deps, tx, { action: 'session_ended', userId, sessionId, detail: id, client }, now)
  })
}
