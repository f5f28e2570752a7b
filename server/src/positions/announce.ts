import { drawEventNo } from '../accounts/trader-sequence.ts'
import type { Queryable } from '../platform/database.ts'
import { enqueue } from '../platform/queue.ts'
import { announcementKey, positionAnnounced } from './positions.events.ts'
import { insertEvent } from './positions.queries.ts'

/**
 * Writes the event of an open or a close in its transaction; the people entitled when that commits will be told. Takes
 * the trader's head, so it comes late in the transaction.
 */
export async function announce(
  tx: Queryable,
  event: { traderId: string; positionId: string; kind: 'opened' | 'closed' },
  now: Date,
): Promise<void> {
  const eventNo = await drawEventNo(tx, event.traderId)
  await insertEvent(tx, { ...event, eventNo }, now)
  const { traderId } = event
  await enqueue(tx, positionAnnounced, { traderId, eventNo }, { key: announcementKey({ traderId, eventNo }) })
}
