import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { audit } from '../audit/audit.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { findSession, lockSession, revokeSession } from './sessions.queries.ts'

/**
 * Ends one session of the caller, who may name the present one too; its tokens are refused from then on. Does nothing for a
 * session that has ended already. A session without the second factor cannot end one that has it (ADR 0030): the API
 * refuses such a caller before, except when the account got its factor during this request.
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
