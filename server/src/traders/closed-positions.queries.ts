import type { ClosedSort, SortOrder } from '@tradepost/contract/closed-positions'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { type ShownPosition, shownColumns } from '../positions/record/shown-position.ts'

/** The sort key of each list, with the text that keeps every digit of it; an index holds each. */
const KEYS = {
  closed: {
    column: sql`p.closed_at`,
    type: sql`timestamptz`,
    text: sql`to_char(page.key at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  },
  gain: { column: sql`p.percentage_gain`, type: sql`numeric`, text: sql`page.key::text` },
  held: {
    column: sql`extract(epoch from p.closed_at - p.opened_at)`,
    type: sql`numeric`,
    text: sql`page.key::text`,
  },
} as const satisfies Record<ClosedSort, unknown>

export type ClosedPage = {
  sort: ClosedSort
  order: SortOrder
  /** One in its spellings; null for all. */
  symbols: string[] | null
  /** Of UTC, as `2026-11`; null for all. */
  month: string | null
  /** Where the page before ended; null for the first. */
  after: { key: string; id: string } | null
  limit: number
}

export type ClosedPositionRow = ShownPosition & {
  /** Decimal text, US dollars. */
  closePrice: string
  closeNotes: string
  closedAt: Date
  /** Percent, decimal text. */
  percentageGain: string
  unsettled: boolean
  /** The sort key, exactly. */
  key: string
  /** Numbers of its events; null where there are none, so that nobody was entitled. */
  openedNo: number | null
  closedNo: number | null
}

/** A page of a trader's closed positions; equal ones in the order of their ids. */
export async function listClosedPage(
  db: Queryable,
  traderId: string,
  page: ClosedPage,
): Promise<ClosedPositionRow[]> {
  const { after, limit, month, order, sort, symbols } = page
  const key = [sort, order, after === null ? 'first' : 'next'].join(' ')
  const select = selectPages.get(key) ?? closedPage(page)
  selectPages.set(key, select)
  return select(db, {
    traderId,
    symbols,
    firstDay: month === null ? null : `${month}-01`,
    limit,
    afterKey: after?.key ?? null,
    afterId: after?.id ?? null,
  })
}

/** One for each order, and for a first page, which has no bound. */
const selectPages = new Map<string, ReturnType<typeof closedPage>>()

type PageValues = {
  traderId: string
  symbols: string[] | null
  /** Of the month; null for all. */
  firstDay: string | null
  limit: number
  afterKey: string | null
  afterId: string | null
}

function closedPage({ after, order, sort }: ClosedPage) {
  const { column, type, text } = KEYS[sort]
  const [beyond, direction] = order === 'desc' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  return compiledQuery(
    (_db, { afterId, afterKey, firstDay, limit, symbols, traderId }: PageValues) => sql<ClosedPositionRow>`
    with page as (
      select p.*, ${column} as key from positions p
      where p.trader_id = ${traderId} and p.closed_at is not null
        and (${symbols}::text[] is null or p.symbol = any(${symbols}::text[]))
        and (${firstDay}::date is null or p.closed_at >= ${firstDay}::date::timestamp at time zone 'UTC'
          and p.closed_at < (${firstDay}::date + interval '1 month') at time zone 'UTC')
        and ${after === null ? sql`true` : sql`(${column}, p.id) ${beyond} (${afterKey}::${type}, ${afterId}::uuid)`}
      order by ${column} ${direction}, p.id ${direction}
      limit ${limit}
    )
    select ${shownColumns('page')}, page.close_price as "closePrice", page.close_notes as "closeNotes",
      page.closed_at as "closedAt", page.percentage_gain as "percentageGain", page.unsettled, ${text} as key,
      opened.event_no as "openedNo", closed.event_no as "closedNo"
    -- By the trader's id, not by that of the page's rows: on a cluster it says on which node the events are.
    from page left join position_events opened
        on opened.trader_id = ${traderId} and opened.position_id = page.id and opened.kind = 'opened'
      left join position_events closed
        on closed.trader_id = ${traderId} and closed.position_id = page.id and closed.kind = 'closed'
    order by page.key ${direction}, page.id ${direction}`,
  )
}
