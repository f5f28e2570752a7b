import { FACTOR_UNDO_HOURS } from '@tradepost/contract/limits'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { describePlace } from '../audit/describe-place.ts'
import { type FactorRow, findFactors } from '../users/factors.queries.ts'
import { insertFactorUndo } from './factor-undos.queries.ts'

const HOUR_MS = 3_600_000

/** A change of a confirmed factor. @property client from where; null when the operator did it */
type FactorChange = { userId: string; factorId: string; change: 'added' | 'removed'; client: Client | null }

/**
 * Notifies the owner by mail that a confirmed factor was added or removed (ADR 0030).
 * @param tx the transaction of the change, after the change
 * @param done.undoId of what the mail's link undoes; null when it cannot be undone
 */
export async function announceFactor(
  tx: Queryable,
  done: FactorChange & { undoId: string | null },
  now: Date,
): Promise<void> {
  const { userId, factorId, change, client, undoId } = done
  const factors = await findFactors(tx, userId)
  const others = factors.some(({ id, status }) => id !== factorId && status === 'verified')
  const facts = { change, others, at: now.toISOString(), from: client && describePlace(client), undoId }
  await queueMail(tx, { kind: 'second_factor_changed', userId, facts }, now)
}

/** The same of a change that the link in the mail undoes for 72 hours (ADR 0031). @param factor as it was before */
export async function announceUndoable(
  tx: Queryable,
  factor: FactorRow,
  done: Pick<FactorChange, 'change' | 'client'>,
  now: Date,
): Promise<void> {
  const { id: factorId, user_id: userId } = factor
  const undoId = newId()
  await insertFactorUndo(tx, {
    id: undoId,
    user_id: userId,
    factor_id: factorId,
    change: done.change,
    ...(done.change === 'removed' && {
      friendly_name: factor.friendly_name,
      secret_sealed: factor.secret_sealed,
      secret_key_id: factor.secret_key_id,
      last_step: factor.last_step,
      factor_created_at: factor.created_at,
    }),
    created_at: now,
    expires_at: new Date(now.getTime() + FACTOR_UNDO_HOURS * HOUR_MS),
  })
  await announceFactor(tx, { ...done, userId, factorId, undoId }, now)
}
