import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findMailedRanges, type MailedRange } from './mailings.queries.ts'

type EventKey = { traderId: string; eventNo: number }

/**
 * About how many seconds after publishing the caller's mail was taken, for each event of which that is known. A range records its
 * first and its last mail; those between went one after the other, so the place in the range says when.
 * @returns by `keyOf` an event
 */
export async function findMailedAfter(
  db: Queryable,
  caller: Caller,
  events: readonly (EventKey & { createdAt: Date })[],
): Promise<Map<string, number>> {
  if (events.length === 0) return new Map()
  const ranges = await findMailedRanges(db, {
    viewerId: caller.userId,
    traderIds: events.map(({ traderId }) => traderId),
    eventNos: events.map(({ eventNo }) => eventNo),
    publishedAt: events.map(({ createdAt }) => createdAt),
  })
  return new Map(ranges.map((range) => [keyOf(range), secondsOf(range)]))
}

export function keyOf({ eventNo, traderId }: EventKey): string {
  return `${traderId}.${eventNo}`
}

function secondsOf(range: MailedRange): number {
  const first = range.firstSentAt.getTime()
  const share = (range.mailNo - range.from) / (range.to - range.from)
  const sentAt = first + (range.lastSentAt.getTime() - first) * share
  return Math.max(0, Math.round((sentAt - range.publishedAt.getTime()) / 1000))
}
