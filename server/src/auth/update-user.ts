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
 * Merges `data` into the user's metadata, key by key; null deletes a key. No rule of the product depends on metadata
 * (decision 0024).
 * @param data null changes nothing
 * @returns the user as the protocol describes one
 * @throws `insufficient_aal` for a session without the second factor that the user has, `session_not_found`,
 *   `validation_failed` when the merged metadata would exceed 2,048 bytes
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
