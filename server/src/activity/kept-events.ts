import { ACTIVITY_PAGE_COUNT } from '@tradepost/contract/limits'
import { versionedCache } from '../platform/cache/versioned-cache.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Directory, DirectoryNow } from '../quotes/symbols/directory.ts'
import { type Received, selectNewest } from './activity.queries.ts'
import { presentEvent, type ShownOfEvent } from './present-event.ts'
import type { EventRow, Place } from './shown-events.ts'

/** Of a process, in bytes: the newest events of some thousand traders. */
const MAX_KEPT_SIZE = 16_000_000
/** Bytes of an event beside its notes, nearly. */
const SIZE_BESIDE_NOTES = 700
/** Of a trader: the events that a page asks for, so that a viewer who follows nobody else needs no more. */
export const KEPT_COUNT = ACTIVITY_PAGE_COUNT + 1

export type KeptEvent = Place & { createdAt: Date; shown: ShownOfEvent }

/** The traders whose events a viewer receives and what the viewer may see of each, at one moment, with their kept events. */
export type View = { received: readonly Received[]; kept: ReadonlyMap<string, readonly KeptEvent[]> }

/**
 * The newest events of traders, newest first, `KEPT_COUNT` of each or all that there are, by the trader's id. They are those of the number
 * that is given with each trader or of later: the caller leaves later ones out.
 */
export type FindKeptEvents = (
  received: readonly Pick<Received, 'traderId' | 'lastEventNo'>[],
) => Promise<ReadonlyMap<string, readonly KeptEvent[]>>

/** Keeps a trader's newest events for the number of the last one, for all readers (ADR 0097). */
export function keepEvents({ db, directory }: { db: Queryable; directory: Directory }): FindKeptEvents {
  const findKept = versionedCache<KeptEvent[]>({ maxSize: MAX_KEPT_SIZE, sizeOf })
  return async (received) => {
    const names = await directory.now()
    // The names of companies are in them.
    const traderIds = new Map(received.map(({ traderId }) => [`${traderId} ${names.version}`, traderId]))
    const versions = new Map(
      received.map(({ lastEventNo, traderId }) => [`${traderId} ${names.version}`, lastEventNo]),
    )
    const found = await findKept(versions, (missing) =>
      readMissing(db, names, new Map([...traderIds].filter(([key]) => missing.has(key)))),
    )
    return new Map([...traderIds].map(([key, traderId]) => [traderId, found.get(key) ?? []]))
  }
}

async function readMissing(
  db: Queryable,
  names: DirectoryNow,
  traderIds: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, KeptEvent[]>> {
  const rows = await selectNewest(db, { traderIds: [...traderIds.values()], limit: KEPT_COUNT })
  const rowsOf = Map.groupBy(rows, ({ traderId }) => traderId)
  return new Map(
    [...traderIds].map(([key, traderId]) => [
      key,
      (rowsOf.get(traderId) ?? []).map((row) => keep(row, names)),
    ]),
  )
}

function keep(row: EventRow, names: DirectoryNow): KeptEvent {
  const { at, createdAt, eventNo, traderId } = row
  return { at, createdAt, eventNo, traderId, shown: presentEvent(row, names) }
}

function sizeOf(events: KeptEvent[]): number {
  const bytes = events.map(
    ({ shown }) => SIZE_BESIDE_NOTES + 2 * (shown.openNotes.length + (shown.close?.notes.length ?? 0)),
  )
  return bytes.reduce((sum, each) => sum + each, SIZE_BESIDE_NOTES)
}
