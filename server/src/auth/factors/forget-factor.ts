import type { Queryable } from '../../platform/database/queryable.ts'
import { lowerSessions } from '../sessions/sessions.queries.ts'
import { deleteFactor, type FactorRow, findFactors } from '../users/factors.queries.ts'
import { deleteRecoveryCodes } from './recovery-codes.queries.ts'

/** Takes a locked factor away: sessions that it confirmed are aal1, and with the last confirmed one the recovery codes go. */
export async function forgetFactor(tx: Queryable, factor: FactorRow): Promise<void> {
  await lowerSessions(tx, factor.id)
  await deleteFactor(tx, factor.id)
  const left = await findFactors(tx, factor.user_id)
  if (!left.some(({ status }) => status === 'verified')) await deleteRecoveryCodes(tx, factor.user_id)
}
