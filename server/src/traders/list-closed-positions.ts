import type { ClosedPositionsQuery } from '@tradepost/contract/closed-positions'
import { CLOSED_PAGE_COUNT } from '@tradepost/contract/limits'
import { checkSymbol, normaliseSymbol, symbolSpellings } from '@tradepost/contract/symbol'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { type Entitlement, wasEntitledBetween } from '../billing/entitlements/entitled-events.ts'
import { findEntitlements } from '../billing/entitlements/entitlements.queries.ts'
import type { SellingSettings } from '../billing/entitlements/may-subscribe.ts'
import { versionedCache } from '../platform/cache/versioned-cache.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { type ClosedPage, listClosedPage } from './closed-positions.queries.ts'
import { requireTrader } from './find-trader.ts'
import { type KeptPage, sizeOfPage, writeAnswer, writePage } from './kept-closed.ts'
import type { ProfileDeps } from './trader-profile.ts'

/** Of a process, in bytes: some hundred pages. */
const MAX_KEPT_SIZE = 12_000_000

type Deps = Omit<ProfileDeps, 'settings'> & { settings: SellingSettings }

/**
 * Pages of a trader's closed positions, for everybody; their notes for the trader and for readers who were entitled while a position was
 * open (rules G-16 and G-49). A page is kept for the trader's last event, for all readers (ADR 0101).
 * @returns answers a caller who names a trader. @throws `user_not_found`, `symbol_invalid`, `bad_request` for a cursor that is none of this list
 */
export function makeClosedList(
  deps: Deps,
): (caller: Caller, text: string, query: ClosedPositionsQuery) => Promise<ReadyAnswer> {
  const findKept = versionedCache<KeptPage>({ maxSize: MAX_KEPT_SIZE, sizeOf: sizeOfPage })
  return async (caller, text, query) => {
    const page = readPage(query)
    const directory = await deps.directory.now()
    const username = readUsername(text)
    const [{ lastEventNo, traderId }, entitlements] = await Promise.all([
      requireTrader(deps, caller, text),
      isUsername(username) ? findEntitlements(deps.pipelined, caller.userId, username) : [],
    ])
    const own = traderId === caller.userId
    const key = `${traderId} ${directory.version} ${JSON.stringify(page)}`
    const seen = new Map([[traderId, lastEventNo]])
    const found = await findKept(new Map([[key, lastEventNo]]), async () => {
      const rows = await deps.others.read(seen, (from) => listClosedPage(from, traderId, page))
      return new Map([[key, writePage(rows, page, directory)]])
    })
    const kept = found.get(key)
    if (!kept) throw new Error('a page that was asked for is not answered')
    return own ? kept.toTrader : answerOther(kept, entitlements)
  }
}

function readPage({ sort = 'closed', order = 'desc', ...query }: ClosedPositionsQuery): ClosedPage {
  const symbol = normaliseSymbol(query.symbol ?? '')
  const refused = symbol === '' ? null : checkSymbol(symbol)
  if (refused) throw refusal(refused)
  const after = query.after === undefined ? null : readCursor({ sort, order }, query.after)
  const symbols = symbol === '' ? null : symbolSpellings(symbol)
  return { sort, order, symbols, month: query.month ?? null, after, limit: CLOSED_PAGE_COUNT + 1 }
}

/** To somebody else than the trader: with the notes that they are entitled to. */
function answerOther(page: KeptPage, entitlements: readonly Entitlement[]): ReadyAnswer {
  if (entitlements.length === 0) return page.toAnybody
  const json = writeAnswer(page, ({ closedNo, openedNo }) => {
    if (openedNo === null || closedNo === null || !wasEntitledBetween(entitlements, openedNo, closedNo))
      return 'none'
    return wasEntitledBetween(entitlements, closedNo, closedNo) ? 'all' : 'of the opening'
  })
  return new ReadyAnswer(json)
}

type Sorted = Pick<ClosedPage, 'sort' | 'order'>

const CURSOR = /^(closed|gain|held) (desc|asc) (\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const KEY_SHAPES = {
  closed: /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/,
  gain: /^-?\d{1,26}(\.\d{1,12})?$/,
  held: /^\d{1,12}(\.\d{1,6})?$/,
} as const

/** A text that `writeCursor` did not write for a list of this order is refused before the database sees it. */
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
