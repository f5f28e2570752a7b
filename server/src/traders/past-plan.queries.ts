import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { lastKnownClose } from '../positions/record/held-value.ts'

/** Of a position since its opening. `price`: decimal text, US dollars. `foundAt`: of a trade; null for the close of a day. */
export type LastPrice = { price: string; foundAt: Date | null }

type Held = { symbol: string; openedAt: number; tickerLostOn: number | null }

/**
 * The last price of each position that is known since its opening, in their order, null where none is: the mark of its symbol, and for a
 * ticker that is another company's the last close of before.
 */
export async function findLastPrices(
  db: Queryable,
  positions: readonly Held[],
): Promise<(LastPrice | null)[]> {
  const rows = await selectLastPrices(db, {
    symbols: positions.map(({ symbol }) => symbol),
    opened: positions.map(({ openedAt }) => new Date(openedAt)),
    lost: positions.map(({ tickerLostOn }) => (tickerLostOn === null ? null : new Date(tickerLostOn))),
  })
  return rows.map(({ foundAt, price }) => (price === null ? null : { price, foundAt }))
}

type Asked = { symbols: string[]; opened: Date[]; lost: (Date | null)[] }

const selectLastPrices = compiledQuery(
  (_db, { lost, opened, symbols }: Asked) => sql<{ price: string | null; foundAt: Date | null }>`
    with held as (
      select nth, symbol, opened_at, (opened_at at time zone 'UTC')::date as opened, null::date as closed,
        (lost_at at time zone 'UTC')::date as ticker_lost_on
      from unnest(${symbols}::text[], ${opened}::timestamptz[], ${lost}::timestamptz[])
        with ordinality given (symbol, opened_at, lost_at, nth)
    )
    select case when held.ticker_lost_on is null then mark.price else before.value end as price,
      case when held.ticker_lost_on is null then mark.quoted_at end as "foundAt"
    from held left join symbol_marks mark on mark.symbol = held.symbol and mark.answered_at >= held.opened_at
      left join lateral (${lastKnownClose('held.ticker_lost_on')}) before on held.ticker_lost_on is not null
    order by held.nth`,
)
