import type { AuthUser } from '@tradepost/contract/auth'
import { withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import type { BearerSession } from './authenticate.ts'
import { readUser } from './read-user.ts'
import { lockUser, storeUserMetadata } from './users.queries.ts'
import { invalidField, wireError } from './wire-error.ts'
import { fitsMetadata } from './wire-payloads.ts'

/**
 * Merges `data` into what the user says of themselves: key by key, null deletes. Nothing here decides on it.
 * @throws `insufficient_aal` for one who has a second factor and has not confirmed with it, `validation_failed` when
 *   the whole would grow too large
 */
export async function updateUser(
  deps: AuthDeps,
  caller: BearerSession,
  data: Record<string, unknown> | null,
  client: Client,
  now: Date,
): Promise<AuthUser> {
  if (caller.needsSecondFactor) throw wireError('insufficient_aal', { status: 401 })
  if (data && Object.keys(data).length > 0) {
    await withTransaction(deps.db, async (tx) => {
      const user = await lockUser(tx, caller.userId)
      if (!user) throw wireError('session_not_found')
      const merged = Object.entries({ ...(user.user_metadata as object), ...data })
      const metadata = Object.fromEntries(merged.filter(([, value]) => value !== null))
      if (!fitsMetadata(metadata)) throw invalidField('data', 'User data is too large')
      await storeUserMetadata(tx, { userId: user.id, metadata: JSON.stringify(metadata) }, now)
      await audit(
        deps,
        tx,
        { action: 'user_updated', userId: caller.userId, sessionId: caller.sessionId, client },
        now,
      )
    })
  }
  return readUser(deps, caller)
}
