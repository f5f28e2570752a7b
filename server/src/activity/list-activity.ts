import type { ActivityAnswer, ActivityItem, ActivityQuery } from '@tradepost/contract/activity'
import { activityItemId, parseActivityItemId } from '@tradepost/contract/activity-item'
import { gainNumber } from '@tradepost/contract/gain'
import { ACTIVITY_PAGE_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findPlace } from './activity.queries.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { findActivity } from './find-activity.ts'
import { findMailedAfter, keyOf } from './mailed-after.ts'
import { readMailings } from './read-mailings.ts'
import type { ActivityRow, Place } from './shown-events.ts'
import { readSeen } from './unread.ts'

/** One more than is shown tells whether there is a next page. */
const ASKED_COUNT = ACTIVITY_PAGE_COUNT + 1

type Listed = { rows: ActivityRow[]; newer: boolean }

/**
 * What those whom the caller follows published while the caller was entitled to it, and what the caller published, newest first: the
 * events whose mails went to the caller, by the same formula, whatever became of a mail (decision 0062). With both notes (G-49).
 * @throws `bad_request` for a cursor that is none of this list; `activity_not_found` for an item that is not in the caller's list
 */
export async function listActivity(
  db: Queryable,
  caller: Caller,
  query: ActivityQuery,
): Promise<ActivityAnswer> {
  const after = query.after === undefined ? null : readCursor(query.after)
  // Asked before the page: what is published in between is shown and stays unread, never the other way round.
  const seen = await readSeen(db, caller)
  const { rows, newer } =
    after !== null || query.item === undefined
      ? {
          rows: await findActivity(db, caller.userId, after && { after }, ASKED_COUNT),
          newer: after !== null,
        }
      : await findAround(db, caller, query.item)
  const shown = rows.slice(0, ACTIVITY_PAGE_COUNT)
  const last = shown.at(-1)
  return {
    items: await present(db, caller, shown),
    next: rows.length > shown.length && last ? writeCursor(last) : null,
    newer,
    seen,
  }
}

/** The newest page where the item is among them, else one that begins with the item. */
async function findAround(db: Queryable, caller: Caller, id: string): Promise<Listed> {
  const item = parseActivityItemId(id)
  const place = item === null ? null : await findPlace(db, caller.userId, item)
  if (!place) throw refusal('activity_not_found')
  const newest = await findActivity(db, caller.userId, null, ASKED_COUNT)
  if (newest.slice(0, ACTIVITY_PAGE_COUNT).some((row) => isAt(row, place)))
    return { rows: newest, newer: false }
  return { rows: await findActivity(db, caller.userId, { from: place }, ASKED_COUNT), newer: true }
}

function isAt(row: Place, place: Place): boolean {
  return row.traderId === place.traderId && row.eventNo === place.eventNo
}

async function present(db: Queryable, caller: Caller, rows: ActivityRow[]): Promise<ActivityItem[]> {
  const ofOthers = rows.filter(({ traderId }) => traderId !== caller.userId)
  const own = rows
    .filter(({ traderId }) => traderId === caller.userId)
    .map(({ createdAt, eventNo }) => ({ eventNo, publishedAt: createdAt }))
  const [mailedAfter, mailings] = await Promise.all([
    findMailedAfter(db, caller, ofOthers),
    readMailings(db, caller, own),
  ])
  return rows.map((row) => {
    const seconds = mailedAfter.get(keyOf(row))
    const mailing = row.traderId === caller.userId ? mailings.get(row.eventNo) : undefined
    return {
      ...presentEvent(row, caller),
      ...(seconds !== undefined && { mailedAfterSeconds: seconds }),
      ...(mailing && { mailing }),
    }
  })
}

function presentEvent(row: ActivityRow, { userId }: Caller): ActivityItem {
  // Nobody publishes without a username; an item without one is still better than none.
  const trader = row.username ?? 'trader'
  const own = row.traderId === userId
  return {
    id: activityItemId(trader, row.eventNo),
    kind: row.kind,
    at: row.createdAt.toISOString(),
    trader,
    own,
    unread: !own && row.eventNo > row.readEventNo,
    positionId: row.positionId,
    symbol: row.symbol,
    ...(row.companyName !== null && { companyName: row.companyName }),
    holdLength: row.holdLength,
    openPrice: Number(row.openPrice),
    openedAt: row.openedAt.toISOString(),
    openNotes: row.openNotes,
    ...closeOf(row),
    ...settlementOf(row),
    ...splitOf(row),
    ...correctionOf(row),
    ...strikeOf(row),
    ...renameOf(row),
  }
}

/** Of a close alone: who was entitled at the opening and not at the close does not learn of it here. */
function closeOf(row: ActivityRow): Pick<ActivityItem, 'close'> {
  const { closeNotes, closePrice, kind, percentageGain, quotedAt } = row
  if (kind !== 'closed' || closePrice === null || closeNotes === null || percentageGain === null) return {}
  return {
    close: {
      price: Number(closePrice),
      percentageGain: gainNumber(percentageGain),
      notes: closeNotes,
      ...(row.unsettled && { settled: false, tradedAt: quotedAt?.toISOString() }),
    },
  }
}

/** Without the notes, which are for those who were entitled at the close. */
function settlementOf({
  closePrice,
  kind,
  percentageGain,
  settledBy,
}: ActivityRow): Pick<ActivityItem, 'settlement'> {
  if (kind !== 'settled' || closePrice === null || percentageGain === null || settledBy === null) return {}
  return {
    settlement: { price: Number(closePrice), percentageGain: gainNumber(percentageGain), by: settledBy },
  }
}

function correctionOf(row: ActivityRow): Pick<ActivityItem, 'correction'> {
  const { corrected, explained, priceAfter, priceBefore } = row
  if (corrected === null || explained === null || priceBefore === null || priceAfter === null) return {}
  const prices = { priceBefore: Number(priceBefore), price: Number(priceAfter) }
  return { correction: { end: corrected, ...prices, reason: explained } }
}

function renameOf({ symbolAfter, symbolBefore }: ActivityRow): Pick<ActivityItem, 'rename'> {
  return symbolBefore === null || symbolAfter === null ? {} : { rename: { symbolBefore, symbolAfter } }
}

function strikeOf({ adjustedFor, explained }: ActivityRow): Pick<ActivityItem, 'strike'> {
  return adjustedFor === 'struck' && explained !== null ? { strike: { reason: explained } } : {}
}

function splitOf(row: ActivityRow): Pick<ActivityItem, 'split'> {
  const { newShares, oldShares, openPriceAfter, openPriceBefore } = row
  if (newShares === null || oldShares === null || openPriceBefore === null || openPriceAfter === null)
    return {}
  return {
    split: {
      newShares,
      oldShares,
      openPriceBefore: Number(openPriceBefore),
      openPrice: Number(openPriceAfter),
    },
  }
}
