import type { ActivityAnswer, ActivityItem, ActivityQuery } from '@tradepost/contract/activity'
import { activityItemId, parseActivityItemId } from '@tradepost/contract/activity-item'
import { ACTIVITY_PAGE_COUNT } from '@tradepost/contract/limits'
import { readUsername } from '@tradepost/contract/typed-name'
import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findPlace } from './activity.queries.ts'
import { readCursor, writeCursor, writeSeen } from './cursor.ts'
import {
  type ActivityDeps,
  type Asked,
  type Found,
  findNewest,
  findPage,
  findUnread,
  findView,
} from './find-activity.ts'
import { findMailedAfter, keyOf } from './mailed-after.ts'
import { readMailings } from './read-mailings.ts'
import type { Place } from './shown-events.ts'

/**
 * Traders whose events are marked as read at a time: the text of the seen events must not grow without end. Others follow with the next
 * page.
 */
const TRADERS_MAX_COUNT = 100

/** One more than a page shows: its presence means that there is a next page. */
const ASKED_COUNT = ACTIVITY_PAGE_COUNT + 1

type Listed = { rows: Found[]; newer: boolean }

/**
 * The events that the followed traders published while the caller was entitled to them, and the caller's own, newest first: the events
 * whose mails went to the caller, by the same formula, whatever became of a mail (ADR 0062). With both notes (G-49).
 * @throws `bad_request` for a cursor that is none of this list; `activity_not_found` for an item that is not in the caller's list
 */
export async function listActivity(
  deps: ActivityDeps,
  caller: Caller,
  query: ActivityQuery,
): Promise<ActivityAnswer> {
  const after = query.after === undefined ? null : readCursor(query.after)
  // Asked before the page: an event published in between is shown and stays unread, never the other way round.
  const trader = query.trader === undefined ? null : readUsername(query.trader).toLowerCase()
  const view = await findView(deps, caller.userId, trader)
  const asked = { viewerId: caller.userId, trader, view }
  const seen = await readSeen(deps, asked)
  const { rows, newer } = await findRows(deps, asked, { after, item: query.item })
  const shown = rows.slice(0, ACTIVITY_PAGE_COUNT)
  const last = shown.at(-1)
  return {
    items: await present(deps, caller, shown),
    next: rows.length > shown.length && last ? writeCursor(last) : null,
    newer,
    seen,
  }
}

type Wanted = { after: Place | null; item: string | undefined }

async function findRows(deps: ActivityDeps, asked: Asked, { after, item }: Wanted): Promise<Listed> {
  const newest = () => findNewest(deps, asked, ASKED_COUNT)
  if (after) return { rows: await findPage(deps, asked, { after }, ASKED_COUNT), newer: true }
  if (item === undefined) return { rows: await newest(), newer: false }
  const place = await placeOf(deps.db, asked.viewerId, item)
  const rows = await newest()
  // Where it is among the newest, the page is theirs.
  if (rows.slice(0, ACTIVITY_PAGE_COUNT).some((row) => isAt(row, place))) return { rows, newer: false }
  return { rows: await findPage(deps, asked, { from: place }, ASKED_COUNT), newer: true }
}

async function placeOf(db: Queryable, viewerId: string, id: string): Promise<Place> {
  const item = parseActivityItemId(id)
  const place = item === null ? null : await findPlace(db, viewerId, item)
  if (!place) throw refusal('activity_not_found')
  return place
}

function isAt(row: Place, place: Place): boolean {
  return row.traderId === place.traderId && row.eventNo === place.eventNo
}

async function present(
  { db, pipelined }: ActivityDeps,
  caller: Caller,
  rows: Found[],
): Promise<ActivityItem[]> {
  const ofOthers = rows.filter(({ traderId }) => traderId !== caller.userId)
  const own = rows
    .filter(({ traderId }) => traderId === caller.userId)
    .map(({ createdAt, eventNo }) => ({ eventNo, publishedAt: createdAt }))
  const [mailedAfter, mailings] = await Promise.all([
    findMailedAfter(pipelined, caller, ofOthers),
    readMailings(db, caller, own),
  ])
  return rows.map((row) => {
    const seconds = mailedAfter.get(keyOf(row))
    const mailing = row.traderId === caller.userId ? mailings.get(row.eventNo) : undefined
    // Nobody publishes without a username; an item without one is still better than none.
    const trader = row.username ?? 'trader'
    const own = row.traderId === caller.userId
    return {
      ...row.shown,
      id: activityItemId(trader, row.eventNo),
      trader,
      own,
      unread: !own && row.eventNo > row.readEventNo,
      ...(seconds !== undefined && { mailedAfterSeconds: seconds }),
      ...(mailing && { mailing }),
    }
  })
}

/** The text that marks as read all of a list that is unread now; null when nothing is. */
async function readSeen(deps: ActivityDeps, asked: Asked): Promise<string | null> {
  return writeSeen(await findUnread(deps, asked, TRADERS_MAX_COUNT))
}
