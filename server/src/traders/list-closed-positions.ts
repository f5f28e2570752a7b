import type {
  ClosedOfTrader,
  ClosedPositionsAnswer,
  ClosedPositionsQuery,
} from '@tradepost/contract/closed-positions'
import { gainNumber } from '@tradepost/contract/gain'
import { CLOSED_PAGE_COUNT } from '@tradepost/contract/limits'
import { checkSymbol, normaliseSymbol, symbolSpellings } from '@tradepost/contract/symbol'
import { wholeDaysBetween } from '@tradepost/contract/trading-day'
import { readPublished } from '../events/read-published.ts'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import { presentStrike } from '../positions/present-position.ts'
import { type ClosedPage, type ClosedPositionRow, listClosedPage } from './closed-positions.queries.ts'
import { requireTrader } from './find-trader.ts'

/**
 * A page of a trader's closed positions, for everybody; their notes for the trader and for whoever was entitled while a position
 * was open (decisions G-16 and G-49).
 * @throws `user_not_found`, `symbol_invalid`, `bad_request` for a cursor that is none of this list
 */
export async function listClosedPositions(
  deps: { db: Queryable; others: ReadsOfOthers },
  caller: Caller,
  text: string,
  query: ClosedPositionsQuery,
): Promise<ClosedPositionsAnswer> {
  const page = readPage(query)
  const { traderId } = await requireTrader(deps.db, caller, text)
  // One more than is shown tells whether there is a next page.
  const rows = await readPublished(deps, traderId, (from) =>
    listClosedPage(from, { traderId, viewerId: caller.userId }, page),
  )
  const shown = rows.slice(0, CLOSED_PAGE_COUNT)
  const last = shown.at(-1)
  return {
    positions: shown.map((row) => present(row, traderId === caller.userId)),
    next: rows.length > shown.length && last ? writeCursor(page, last) : null,
  }
}

function readPage({ sort = 'closed', order = 'desc', ...query }: ClosedPositionsQuery): ClosedPage {
  const symbol = normaliseSymbol(query.symbol ?? '')
  const refused = symbol === '' ? null : checkSymbol(symbol)
  if (refused) throw refusal(refused)
  const after = query.after === undefined ? null : readCursor({ sort, order }, query.after)
  const symbols = symbol === '' ? null : symbolSpellings(symbol)
  return { sort, order, symbols, after, limit: CLOSED_PAGE_COUNT + 1 }
}

type Sorted = Pick<ClosedPage, 'sort' | 'order'>

const CURSOR = /^(closed|gain|held) (desc|asc) (\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const KEY_SHAPES = {
  closed: /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/,
  gain: /^-?\d{1,26}(\.\d{1,12})?$/,
  held: /^\d{1,12}(\.\d{1,6})?$/,
} as const

function writeCursor({ sort, order }: Sorted, { key, id }: ClosedPositionRow): string {
  return Buffer.from(`${sort} ${order} ${key} ${id}`).toString('base64url')
}

/** Whatever was not written by `writeCursor` for a list of this order is refused before the database sees it. */
function readCursor({ sort, order }: Sorted, cursor: string): { key: string; id: string } {
  const [, ofSort, ofOrder, key = '', id = ''] =
    CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  const known = ofSort === sort && ofOrder === order && KEY_SHAPES[sort].test(key)
  if (!known || (sort === 'closed' && !isInstant(key))) throw refusal('bad_request')
  return { key, id }
}

/** Whether the calendar has it: no 31st of February. */
function isInstant(key: string): boolean {
  const instant = new Date(key)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(key.slice(0, 19))
}

function present(row: ClosedPositionRow, own: boolean): ClosedOfTrader {
  return {
    id: row.id,
    symbol: row.symbol,
    ...(row.companyName === null ? {} : { companyName: row.companyName }),
    holdLength: row.holdLength,
    openPrice: Number(row.openPrice),
    closePrice: Number(row.closePrice),
    opened: row.openedAt.toISOString(),
    closed: row.closedAt.toISOString(),
    percentageGain: gainNumber(row.percentageGain),
    daysHeld: wholeDaysBetween(row.openedAt, row.closedAt),
    ...(row.unsettled && { settled: false as const }),
    ...presentStrike(row.struckReason),
    ...((own || row.entitled) && {
      notes: { open: row.openNotes, ...((own || row.entitledAtClose) && { close: row.closeNotes }) },
    }),
  }
}
