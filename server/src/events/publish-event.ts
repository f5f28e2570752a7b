import { isUniqueViolation } from '../platform/database/database-errors.ts'
import { notifyOfEvents } from '../platform/database/notify.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { isDistributed, skipCoordinatorFlush } from '../platform/distribution/distributed-tables.ts'
import { refusal } from '../platform/http/refusal.ts'
import { drawEvent, insertEvent, type PositionEvent } from './events.queries.ts'

/** How soon the sweep has mended a trader's numbers (ADR 0069), in seconds. */
const MENDED_WITHIN_SECONDS = 20

/** Transactions that wrote work for readers. */
const withWork = new WeakSet<Queryable>()

/**
 * Runs a transaction in which events of one trader are published. Once it has committed it notifies open pages, and readers if they
 * have work.
 * @throws `unavailable` where an event already has the number that is drawn: a crash has left it half published, and it is being mended
 */
export async function withPublishing<T>(
  db: Queryable,
  traderId: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  // Before the transaction: it asks on a connection of its own, which all others of the pool might wait for.
  const distributed = await isDistributed(db)
  let hasWork = false
  const result = await withTransaction(db, async (tx) => {
    if (distributed) await skipCoordinatorFlush(tx)
    const done = await work(tx)
    hasWork = withWork.has(tx)
    return done
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'position_events_pkey')
      ? refusal('unavailable', { retryAfterSeconds: MENDED_WITHIN_SECONDS })
      : error
  })
  await notifyOfEvents(db, { traderId, hasWork })
  return result
}

/**
 * Writes the event of a position in the transaction that changes it (`withPublishing`); its readers get it once that
 * commits. Takes the lock of the trader's sequence, so it comes late in the transaction.
 * @returns the event's number
 */
export async function publishEvent(
  tx: Queryable,
  event: Pick<PositionEvent, 'traderId' | 'positionId' | 'kind' | 'requestId'>,
  now: Date,
): Promise<number> {
  const { eventNo, hasWork } = await drawEvent(tx, event.traderId, now)
  if (hasWork) withWork.add(tx)
  await insertEvent(tx, { ...event, eventNo, createdAt: now })
  return eventNo
}
