import { type Queryable, withTransaction } from '../platform/database.ts'
import { notifyOfEvents } from '../platform/notify.ts'
import { insertEvent, type PositionEvent } from './events.queries.ts'
import { drawEventNo } from './trader-sequence.ts'

/** Runs a transaction in which events of one trader are published, and notifies their readers once it has committed. */
export async function withPublishing<T>(
  db: Queryable,
  traderId: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const result = await withTransaction(db, work)
  await notifyOfEvents(db, traderId)
  return result
}

/**
 * Writes the event of a position in the transaction that changes it (`withPublishing`); every reader gets it once that commits. Takes the lock
 * of the trader's sequence, so it comes late in the transaction.
 * @returns the event's number
 */
export async function publishEvent(
  tx: Queryable,
  event: Pick<PositionEvent, 'traderId' | 'positionId' | 'kind' | 'requestId'>,
  now: Date,
): Promise<number> {
  const eventNo = await drawEventNo(tx, event.traderId)
  await insertEvent(tx, { ...event, eventNo, createdAt: now })
  return eventNo
}
