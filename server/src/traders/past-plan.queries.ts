import type { MarketPrice } from '@tradepost/contract/price-rights'
import { type RawBuilder, sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { lastKnownClose } from '../positions/record/held-value.ts'
import { quoteKnownAt } from '../quotes/prices/quote-known-at.ts'

/** Of a position since its opening. `tradedAt`: null for the close of a day. `foundAt`: when it was known. */
export type LastPrice = { price: MarketPrice; tradedAt: Date | null; foundAt: Date }

type Held = { symbol: string; openedAt: number; tickerLostOn: number | null }

/**
 * The last price of each position that is known since its opening, in their order, null where none is: the mark of its symbol, and for a
 * ticker that is another company's the last close of before.
 * @param at.until an instant of before, whose prices are asked for; null for those of now
 */
export async function findLastPrices(
  db: Queryable,
  positions: readonly Held[],
  { now, until }: { until: Date | null; now: Date },
): Promise<(LastPrice | null)[]> {
  const held = {
    symbols: positions.map(({ symbol }) => symbol),
    opened: positions.map(({ openedAt }) => new Date(openedAt)),
    lost: positions.map(({ tickerLostOn }) => (tickerLostOn === null ? null : new Date(tickerLostOn))),
  }
  const rows = await selectLastPrices(db, { ...held, until: until ?? now, now })
  return rows.map(({ foundAt, price, tradedAt }) =>
    price === null || foundAt === null ? null : { price, tradedAt, foundAt },
  )
}

type Asked = { symbols: string[]; opened: Date[]; lost: (Date | null)[] }
type Found = { [Field in keyof LastPrice]: LastPrice[Field] | null }

const selectLastPrices = compiledQuery(
  (_db, { lost, now, opened, symbols, until }: Asked & { until: Date; now: Date }) =>
    lastPrices(
      { lost, opened, symbols },
      sql`lateral (${quoteKnownAt(sql`held.symbol`, until, now)}) mark on mark.answered_at >= held.opened_at`,
    ),
)

/** @param mark the table of marks, as it is joined */
function lastPrices({ lost, opened, symbols }: Asked, mark: RawBuilder<unknown>): RawBuilder<Found> {
  return sql<Found>`
    with held as (
      select nth, symbol, opened_at, (opened_at at time zone 'UTC')::date as opened, null::date as closed,
        (lost_at at time zone 'UTC')::date as ticker_lost_on
      from unnest(${symbols}::text[], ${opened}::timestamptz[], ${lost}::timestamptz[])
        with ordinality given (symbol, opened_at, lost_at, nth)
    )
    select case when held.ticker_lost_on is null then mark.price else before.value end as price,
      case when held.ticker_lost_on is null then mark.quoted_at end as "tradedAt",
      case when held.ticker_lost_on is null then greatest(mark.quoted_at, mark.answered_at)
        else (before.day + time '21:00') at time zone 'UTC' end as "foundAt"
    from held left join ${mark}
      left join lateral (${lastKnownClose('held.ticker_lost_on')}) before on held.ticker_lost_on is not null
    order by held.nth`
}
