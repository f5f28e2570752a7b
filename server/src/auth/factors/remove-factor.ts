import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { lockFactor } from '../users/factors.queries.ts'
import { announceUndoable } from './announce-factor.ts'
import { forgetFactor } from './forget-factor.ts'

/**
 * Removes a factor; sessions that it confirmed are aal1 from then on.
 * @throws `factor_unknown`; `second_factor_missing_for_removal` when it is a confirmed one and the caller is at aal1;
 *   `reauthentication_needed` when it is and the mailbox was not proved within five minutes (ADR 0031)
 */
export async function removeFactor(
  deps: AuthDeps,
  caller: BearerSession,
  factorId: string,
  client: Client,
  now: Date,
): Promise<{ id: string }> {
  const { userId, sessionId } = caller
  return withTransaction(deps.db, async (tx) => {
    const factor = await lockFactor(tx, { id: factorId, userId })
    if (!factor) throw new AuthFault('factor_unknown')
    if (factor.status === 'verified' && !caller.isAal2)
      throw new AuthFault('second_factor_missing_for_removal')
    if (factor.status === 'verified' && !caller.isFresh) throw new AuthFault('reauthentication_needed')
    await forgetFactor(tx, factor)
    if (factor.status === 'verified') {
      await announceUndoable(tx, factor, { change: 'removed', client }, now)
    }
    await audit(deps, tx, { action: 'factor_removed', userId, sessionId, detail: factor.id, client }, now)
    return { id: factor.id }
  })
}
