import type { Queryable } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { enqueue } from '../platform/queue.ts'
import { sendFactorMail } from './auth.jobs.ts'
import { describePlace } from './describe-place.ts'
import { findFactors } from './factors.queries.ts'

/**
 * Has the owner told by mail that a confirmed factor was added or removed (decision 0030).
 * @param tx that of the deed, after it
 * @param done.client from where; null when the operator did it
 */
export async function announceFactor(
  tx: Queryable,
  done: { userId: string; factorId: string; change: 'added' | 'removed'; client: Client | null },
  now: Date,
): Promise<void> {
  const { userId, factorId, change, client } = done
  const factors = await findFactors(tx, userId)
  await enqueue(tx, sendFactorMail, {
    userId,
    change,
    others: factors.some(({ id, status }) => id !== factorId && status === 'verified'),
    at: now.toISOString(),
    from: client && describePlace(client),
  })
}
