import type { Queryable } from '../platform/database.ts'
import { insertEvent, type PositionEvent } from './events.queries.ts'
import { drawEventNo } from './trader-sequence.ts'

/**
 * Writes the event of a position in the transaction that changes it; every reader gets it once that commits. Takes the lock
 * of the trader's sequence, so it comes late in the transaction.
 * @returns the event's number
 */
export async function publishEvent(
  tx: Queryable,
  event: Pick<PositionEvent, 'traderId' | 'positionId' | 'kind'>,
  now: Date,
): Promise<number> {
  const eventNo = await drawEventNo(tx, event.traderId)
  await insertEvent(tx, { ...event, eventNo, createdAt: now })
  return eventNo
}
