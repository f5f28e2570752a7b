import { normalizeEmail } from '@tradepost/contract/email-address'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { audit } from '../audit/audit.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { findFactors, lockFactor } from '../users/factors.queries.ts'
import { findUserId } from '../users/users.queries.ts'
import { announceUndoable } from './announce-factor.ts'
import { forgetFactor } from './forget-factor.ts'

/**
 * Removes every factor of somebody who lost their authenticator, for an operator who is sure who asks: the mailed code is
 * enough from then on. Sessions that a factor confirmed go on at aal1.
 * @returns how many were removed
 * @throws when that is no mail address, or nobody's
 */
export async function removeLostFactors(
  deps: { db: Queryable; secret: SecretKey },
  address: string | null,
  now: Date,
): Promise<number> {
  const email = normalizeEmail(address ?? '')
  if (email === null) throw new Error('That is not a mail address.')
  return withTransaction(deps.db, async (tx) => {
    const userId = await findUserId(tx, email)
    if (!userId) throw new Error('Nobody has signed in with that address.')
    let removed = 0
    for (const { id } of await findFactors(tx, userId)) {
      // Its owner may be removing it at this moment.
      const factor = await lockFactor(tx, { id, userId })
      if (!factor) continue
      await forgetFactor(tx, factor)
      await audit(deps, tx, { action: 'factor_removed', userId, detail: `${id} by operator` }, now)
      if (factor.status === 'verified') {
        await announceUndoable(tx, factor, { change: 'removed', client: null }, now)
      }
      removed += 1
    }
    return removed
  })
}
