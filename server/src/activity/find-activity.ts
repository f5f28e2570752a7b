import type { Queryable } from '../platform/database.ts'
import { isSpread } from '../platform/layout.ts'
import { type AskedUnread, selectPages, selectUnread } from './activity.queries.ts'
import type { ActivityRow, Place, UnreadOfTrader } from './shown-events.ts'
import { findSpreadActivity, findSpreadUnread } from './spread-activity.queries.ts'

/** What somebody sees in Activity, newest first. @param bound a place, and whether what stands there is wanted too */
export async function findActivity(
  db: Queryable,
  viewerId: string,
  bound: { after: Place } | { from: Place } | null,
  limit: number,
): Promise<ActivityRow[]> {
  const place = bound === null ? null : 'after' in bound ? bound.after : bound.from
  const name = bound === null ? 'none' : 'after' in bound ? 'after' : 'from'
  const page = { viewerId, limit, ...(place ?? { at: '', traderId: '', eventNo: 0 }) }
  return (await isSpread(db)) ? findSpreadActivity(db, name, page) : selectPages[name](db, page)
}

/** Traders of whom something is unread; one's own events are read. @param asked.traders,events the most of traders, and of one */
export async function findUnread(db: Queryable, asked: AskedUnread): Promise<UnreadOfTrader[]> {
  return (await isSpread(db)) ? findSpreadUnread(db, asked) : selectUnread(db, asked)
}
