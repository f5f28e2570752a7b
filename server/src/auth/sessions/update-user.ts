import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { Person } from '../users/person.ts'
import { fitsMetadata } from '../users/user-metadata.ts'
import { lockUser, storeUserMetadata } from '../users/users.queries.ts'
import type { BearerSession } from './authenticate.ts'
import { readUser } from './read-user.ts'

/**
 * Merges `data` into the user's metadata, key by key; null deletes a key. No rule of the product depends on metadata
 * (ADR 0024).
 * @param data null changes nothing
 * @throws `second_factor_missing_for_user` for a session without the second factor that the user has, `session_gone`,
 *   `metadata_too_large` when it would exceed 2,048 bytes
 */
export async function updateUser(
  deps: AuthDeps,
  caller: BearerSession,
  data: Record<string, unknown> | null,
  client: Client,
  now: Date,
): Promise<Person> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing_for_user')
  if (data && Object.keys(data).length > 0) {
    await withTransaction(deps.db, async (tx) => {
      const user = await lockUser(tx, caller.userId)
      if (!user) throw new AuthFault('session_gone')
      const merged = Object.entries({ ...(user.user_metadata as object), ...data })
      const metadata = Object.fromEntries(merged.filter(([, value]) => value !== null))
      if (!fitsMetadata(metadata)) throw new AuthFault('metadata_too_large')
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
