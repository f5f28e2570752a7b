import { batchedLookup, type Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findMailedRanges, type MailedRange } from './mailings.queries.ts'

type EventKey = { traderId: string; eventNo: number }

/** Pages of one statement. */
const PAGES_AT_ONCE = 16

/**
 * About how many seconds after publishing the caller's mail was taken, for each event of which that is known. A range records its first and
 * its last mail; the others were sent one after the other, so the place in the range gives the time.
 * @returns by `keyOf` an event
 */
export async function findMailedAfter(
  pipelined: Queryable,
  { userId }: Pick<Caller, 'userId'>,
  events: readonly (EventKey & { createdAt: Date })[],
): Promise<Map<string, number>> {
  if (events.length === 0) return new Map()
  const ranges = (await lookUpRanges(pipelined, { viewerId: userId, events })) ?? []
  const publishedAt = new Map(events.map((event) => [keyOf(event), event.createdAt.getTime()]))
  return new Map(
    ranges.flatMap((range) => {
      const at = publishedAt.get(keyOf(range))
      return at === undefined ? [] : [[keyOf(range), secondsOf(range, at)]]
    }),
  )
}

export function keyOf({ eventNo, traderId }: EventKey): string {
  return `${traderId}.${eventNo}`
}

type Asked = { viewerId: string; events: readonly EventKey[] }

const lookUpRanges = batchedLookup(async (db, asked: Asked[]) => {
  const ranges = await findMailedRanges(db, {
    readers: [...new Set(asked.map(({ viewerId }) => viewerId))],
    viewerIds: asked.flatMap(({ events, viewerId }) => events.map(() => viewerId)),
    traderIds: asked.flatMap(({ events }) => events.map(({ traderId }) => traderId)),
    eventNos: asked.flatMap(({ events }) => events.map(({ eventNo }) => eventNo)),
  })
  const rangesOf = Map.groupBy(ranges, ({ viewerId }) => viewerId)
  return new Map(asked.map((page) => [page, rangesOf.get(page.viewerId) ?? []]))
}, PAGES_AT_ONCE)

function secondsOf(range: MailedRange, publishedAt: number): number {
  const share = (range.mailNo - range.from) / (range.to - range.from)
  const sentAt = range.firstSentAt + (range.lastSentAt - range.firstSentAt) * share
  return Math.max(0, Math.round((sentAt - publishedAt) / 1000))
}
