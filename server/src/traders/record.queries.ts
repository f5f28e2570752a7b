import type { HoldLength } from '@tradepost/contract/hold-length'
import { LATEST_POSITIONS_COUNT } from '@tradepost/contract/limits'
import { type RawBuilder, sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'
import { lookUpTogether } from '../platform/look-up-together.ts'

export type RecordRow = {
  traderId: string
  closed: number
  wins: number
  kept: number
  /** Percent, decimal text; these and the days are null before the first close. */
  average: string | null
  median: string | null
  best: string | null
  worst: string | null
  /** Decimal text, of whole days. */
  medianDaysHeld: string | null
  /** Openings and plans of active positions. */
  plans: [openedAt: string, holdLength: HoldLength][]
  /** Closed positions only, newest first: active ones are what people pay for (decision G-16). */
  latest: LatestRow[]
}

type LatestRow = {
  symbol: string
  /** Instants as JavaScript reads them. */
  openedAt: string
  closedAt: string
  /** Percent, decimal text. */
  percentageGain: string
  /** Null while it is not known. */
  companyName: string | null
}

/**
 * A trader's counted statistics, and what stands in the middle and at the ends of the indexes of closed positions: the mean of two
 * where their number is even; beside them the latest closed positions. One statement sees one state of all. What belongs to one
 * trader is looked up for each, whatever the sizes of tables make the database think of reading them whole.
 */
export const findRecord = lookUpTogether(async (db, traderIds: string[]) => {
  const rows = await selectRecords(db, { traderIds })
  return new Map(rows.map((row) => [row.traderId, row]))
})

/** What is kept of each trader. */
type Counted = Pick<RecordRow, 'closed' | 'wins' | 'kept' | 'average'>
/** What is read from the positions. */
type Listed = Omit<RecordRow, keyof Counted | 'traderId'>

const counted = sql`coalesce(stats.closed_count, 0) as closed, coalesce(stats.win_count, 0) as wins,
  coalesce(stats.kept_count, 0) as kept, stats.gain_avg as average`

/** @param closedCount how many of the trader's positions are closed */
function listed(traderId: RawBuilder<unknown>, closedCount: RawBuilder<unknown>) {
  const closed = sql`from positions where trader_id = ${traderId} and closed_at is not null`
  const held = sql`extract(epoch from closed_at - opened_at)`
  const middle = sql`offset greatest(${closedCount} - 1, 0) / 2 limit 2 - ${closedCount} % 2`
  return sql`
    (select avg(percentage_gain) from (select percentage_gain ${closed} order by percentage_gain ${middle}) part) as median,
    (select percentage_gain ${closed} order by percentage_gain desc limit 1) as best,
    (select percentage_gain ${closed} order by percentage_gain limit 1) as worst,
    (select avg(days) from (select floor(${held} / 86400) as days ${closed} order by ${held} ${middle}) part) as "medianDaysHeld",
    (select coalesce(json_agg(json_build_array(opened_at, hold_length)), '[]')
      from positions where trader_id = ${traderId} and closed_at is null) as plans,
    (select coalesce(json_agg(json_build_object('symbol', symbol, 'openedAt', opened_at, 'closedAt', closed_at,
          'percentageGain', percentage_gain::text, 'companyName', (select name from symbols where symbol = last.symbol))), '[]')
      from (select symbol, opened_at, closed_at, percentage_gain ${closed}
        order by closed_at desc limit ${sql.lit(LATEST_POSITIONS_COUNT)}) last) as latest`
}

const selectRecords = compiledQuery(
  (_db, { traderIds }: { traderIds: string[] }) => sql<RecordRow>`
    select asked.trader_id as "traderId", ${counted}, ${listed(sql`asked.trader_id`, sql`stats.closed_count`)}
    from unnest(${traderIds}::uuid[]) asked(trader_id)
    left join lateral (select * from trader_stats where trader_id = asked.trader_id limit 1) stats on true`,
)

/** The same in two statements, where positions are on another node than what is counted of them (decision 0069). */
export async function findSpreadRecord(db: Queryable, traderId: string): Promise<RecordRow | undefined> {
  const [counted] = await selectCounted(db, { traderId })
  const [listed] = await selectListed(db, { traderId, closed: counted?.closed ?? 0 })
  return counted && listed && { traderId, ...counted, ...listed }
}

const selectCounted = compiledQuery(
  (_db, { traderId }: { traderId: string }) => sql<Counted>`
    select ${counted} from (select ${traderId}::uuid as id) trader left join trader_stats stats on stats.trader_id = trader.id`,
)

const selectListed = compiledQuery(
  (_db, { closed, traderId }: { traderId: string; closed: number }) => sql<Listed>`
    select ${listed(sql`${traderId}::uuid`, sql`${closed}::int`)}`,
)
