import * as z from 'zod'
import { defineJob } from '../platform/queue.ts'

/**
 * The wake-up call for an event that has been written; the row in position_events is the truth. Added in the
 * transaction that opens or closes, so a rolled-back position announces nothing.
 */
export const positionAnnounced = defineJob(
  'position.announced',
  z.object({ traderId: z.string(), eventNo: z.number() }),
)

/** One waiting job an event, however often it is called. */
export function announcementKey(event: { traderId: string; eventNo: number }): string {
  return `event:${event.traderId}:${event.eventNo}`
}
