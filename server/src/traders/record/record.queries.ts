import type { HoldLength } from '@tradepost/contract/hold-length'
import { LATEST_POSITIONS_COUNT } from '@tradepost/contract/limits'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** The part of a trader's record that is read from the positions. */
export type ListedRow = {
  /** Percent, decimal text; these and the days are null before the first close. */
  median: string | null
  best: string | null
  worst: string | null
  /** Decimal text, of whole days. */
  medianDaysHeld: string | null
  /** Positions that have not ended, without struck ones. */
  open: OpenRow[]
  /** Closed positions, struck ones too, newest first. */
  latest: LatestRow[]
}

type OpenRow = {
  symbol: string
  /** Instants as JavaScript reads them. */
  openedAt: string
  holdLength: HoldLength
  /** Decimal text, US dollars. */
  openPrice: string
  /** As it is stored. */
  publicAt: string | null
  /** Closed at a price that is not settled. */
  unsettled: boolean
  /** Null unless the ticker is another company's, since then. */
  tickerLostOn: string | null
}

type LatestRow = {
  symbol: string
  openedAt: string
  closedAt: string
  /** Percent, decimal text. */
  percentageGain: string
  unsettled: boolean
  /** Null unless an operator has struck it. */
  struckReason: string | null
  /** Null unless the ticker is another company's, since then. */
  tickerLostOn: string | null
}

/**
 * The middle and the ends of the indexes of closed positions: the mean of two where their number is even; beside them the latest closed
 * positions, and the open ones. Struck ones are among the latest alone. One statement sees one state of all.
 * @param asked.settled how many of the trader's positions are closed at a price, as it is counted
 */
export async function findListed(
  db: Queryable,
  asked: { traderId: string; settled: number },
): Promise<ListedRow> {
  const [row] = await selectListed(db, asked)
  if (!row) throw new Error('a record that was asked for is not answered')
  return row
}

const selectListed = compiledQuery((_db, asked: { traderId: string; settled: number }) => {
  const settledCount = sql`${asked.settled}::int`
  const closed = sql`from positions where trader_id = ${asked.traderId}::uuid and closed_at is not null`
  const settled = sql`${closed} and not unsettled and struck_at is null`
  const held = sql`extract(epoch from closed_at - opened_at)`
  const middle = sql`offset greatest(${settledCount} - 1, 0) / 2 limit 2 - ${settledCount} % 2`
  return sql<ListedRow>`select
    (select avg(percentage_gain) from (select percentage_gain ${settled} order by percentage_gain ${middle}) part) as median,
    (select percentage_gain ${settled} order by percentage_gain desc limit 1) as best,
    (select percentage_gain ${settled} order by percentage_gain limit 1) as worst,
    (select avg(days) from (select floor(${held} / 86400) as days ${settled} order by ${held} ${middle}) part) as "medianDaysHeld",
    (select coalesce(json_agg(json_build_object('symbol', symbol, 'openedAt', opened_at, 'holdLength', hold_length,
          'openPrice', trim_scale(open_price)::text, 'publicAt', public_at, 'unsettled', unsettled,
          'tickerLostOn', ticker_lost_on::timestamp at time zone 'UTC')), '[]')
      from positions where trader_id = ${asked.traderId}::uuid and (closed_at is null or unsettled) and struck_at is null) as open,
    (select coalesce(json_agg(json_build_object('symbol', symbol, 'openedAt', opened_at, 'closedAt', closed_at,
          'percentageGain', percentage_gain::text, 'unsettled', unsettled, 'struckReason', struck_reason,
          'tickerLostOn', ticker_lost_on::timestamp at time zone 'UTC')), '[]')
      from (select symbol, opened_at, closed_at, percentage_gain, unsettled, struck_reason, ticker_lost_on ${closed}
        order by closed_at desc limit ${sql.lit(LATEST_POSITIONS_COUNT)}) last) as latest`
})
