import type { Queryable } from '../../platform/database/queryable.ts'
import { listStuckEvents } from './stripe-events.queries.ts'

const MOST_LISTED = 100

/** For an operator: events of Stripe that could not be dealt with yet, one line each, the oldest first. */
export async function readStuckEvents(db: Queryable): Promise<string[]> {
  const events = await listStuckEvents(db, MOST_LISTED)
  return events.map(({ attempts, dueAt, error, eventId, objectId, receivedAt, type }) =>
    [
      receivedAt.toISOString(),
      'event',
      type,
      objectId ?? '-',
      `${attempts} ${attempts === 1 ? 'try' : 'tries'}: ${error}`,
      `next ${dueAt.toISOString()}`,
      eventId,
    ].join('  '),
  )
}
