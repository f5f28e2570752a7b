import { type ActivityDeps, type Found, findPage, findView } from '../../activity/find-activity.ts'
import { findMailedAfter, keyOf } from '../../activity/mailed-after.ts'
import type { Place } from '../../activity/shown-events.ts'
import { type Columns, type ExportTable, PAGE_ROWS, type Row, type Source, toRow } from './export-table.ts'
import { selectFollowed } from './received.queries.ts'

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const ACTIVITY: Columns = {
  ...{ trader: 'text', event_no: 'count', kind: 'text', at: 'instant' },
  ...{ mailed_after_seconds: 'count?', position_id: 'id', symbol: 'text', hold_length: 'text' },
  ...{ open_price: 'decimal', opened_at: 'instant', open_notes: 'text' },
  ...{ close_price: 'decimal?', percentage_gain: 'decimal?', close_notes: 'text?', change: 'json?' },
}

/** The events that they were told, trader by trader, each with its newest first, as Activity lists them (ADR 0062). */
export const activityTable: ExportTable = {
  name: 'activity',
  holds: 'What you were told of the traders you follow and followed, with both notes.',
  columns: ACTIVITY,
  async *pages(source, { at, userId }) {
    const deps = activityDeps(source)
    for (const { traderId, username } of await selectFollowed(source.db, { userId })) {
      // Nobody publishes without a name.
      if (username === null || traderId === userId) continue
      const trader = username.toLowerCase()
      const asked = { viewerId: userId, trader, view: await findView(deps, userId, trader) }
      let bound: { from: Place } | { after: Place } = {
        from: { at: at.toISOString(), traderId: LAST_ID, eventNo: Number.MAX_SAFE_INTEGER },
      }
      for (;;) {
        const rows = await findPage(deps, asked, bound, PAGE_ROWS)
        yield await present(source, userId, rows)
        const last = rows.at(-1)
        if (!last || rows.length < PAGE_ROWS) break
        bound = { after: last }
      }
    }
  },
}

/** Names of companies are not the person's, and nothing is kept between files. */
function activityDeps({ db }: Source): ActivityDeps {
  const names = {
    ...{ version: 0, isEmpty: true, lists: () => false, search: () => [] },
    ...{ nameOf: () => undefined, keptName: () => undefined, canonical: (symbol: string) => symbol },
  }
  const directory = { now: async () => names, changed: () => undefined }
  return { db, pipelined: db, directory, findKeptEvents: async () => new Map() }
}

async function present({ db }: Source, userId: string, found: readonly Found[]): Promise<Row[]> {
  const mailed = await findMailedAfter(db, { userId }, found)
  return found.map((event) => {
    const { close, correction, rename, settlement, split, strike, ...shown } = event.shown
    const ended = close ?? settlement
    const change = split ?? correction ?? strike ?? rename
    return toRow(ACTIVITY, {
      ...{ trader: event.username ?? 'trader', event_no: event.eventNo },
      ...{ kind: shown.kind, at: event.createdAt, mailed_after_seconds: mailed.get(keyOf(event)) },
      ...{ position_id: shown.positionId, symbol: shown.symbol, hold_length: shown.holdLength },
      ...{ open_price: String(shown.openPrice), opened_at: shown.openedAt, open_notes: shown.openNotes },
      ...{
        close_price: ended && String(ended.price),
        percentage_gain: ended && String(ended.percentageGain),
      },
      ...{ close_notes: close?.notes, change },
    })
  })
}
