import { isUniqueViolation, type Queryable, withTransaction } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import { isSpread, waitForNodesAlone } from '../platform/layout.ts'
import { notifyOfEvents } from '../platform/notify.ts'
import { drawEvent, insertEvent, type PositionEvent } from './events.queries.ts'

/** How soon the sweep has mended a trader's numbers (decision 0069), in seconds. */
const MENDED_WITHIN_SECONDS = 20

/**
 * Runs a transaction in which events of one trader are published, and notifies their readers once it has committed.
 * @throws `unavailable` where an event already has the number that is drawn: a crash has left it half published, and it is being mended
 */
export async function withPublishing<T>(
  db: Queryable,
  traderId: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  // Before the transaction: it asks on a connection of its own, which all others of the pool might wait for.
  const spread = await isSpread(db)
  const result = await withTransaction(db, async (tx) => {
    if (spread) await waitForNodesAlone(tx)
    return work(tx)
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'position_events_pkey')
      ? refusal('unavailable', { retryAfterSeconds: MENDED_WITHIN_SECONDS })
      : error
  })
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
  const eventNo = await drawEvent(tx, event.traderId, now)
  await insertEvent(tx, { ...event, eventNo, createdAt: now })
  return eventNo
}
