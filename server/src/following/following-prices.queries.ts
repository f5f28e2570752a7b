import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** A position that its trader held when somebody began to follow them. */
export type HeldPosition = {
  id: string
  symbol: string
  openedAt: Date
  closedAt: Date | null
  /** Null where it was published before events were kept. */
  openedNo: number | null
  /** The ticker is another company's. */
  lost: boolean
}

/** Positions that a trader held between an event and the one after it, without struck ones. */
export async function listHeldAfter(
  db: Queryable,
  { afterEvent, traderId }: { traderId: string; afterEvent: number },
): Promise<HeldPosition[]> {
  const { rows } = await sql<HeldPosition>`
    select position.id, position.symbol, position.opened_at as "openedAt", position.closed_at as "closedAt",
      opened.event_no as "openedNo", position.ticker_lost_on is not null as lost
    from positions position left join position_events opened
      on opened.trader_id = position.trader_id and opened.position_id = position.id and opened.kind = 'opened'
    where position.trader_id = ${traderId} and position.struck_at is null
      and (position.closed_at is null or position.id = any(array(
        select closed.position_id from position_events closed
        where closed.trader_id = ${traderId} and closed.kind = 'closed' and closed.event_no > ${afterEvent})))
      and (opened.event_no is null or opened.event_no <= ${afterEvent})`.execute(db)
  return rows
}

/** The last trade of each of these symbols, decimal text in US dollars; symbols that were never quoted have none. */
export async function listQuotes(
  db: Queryable,
  symbols: string[],
): Promise<ReadonlyMap<string, { price: string; at: Date }>> {
  const rows = await db
    .selectFrom('symbol_marks')
    .select(['symbol', 'price', 'quoted_at as at'])
    .where('symbol', '=', sql<string>`any(${symbols}::text[])`)
    .where('price', 'is not', null)
    .$narrowType<{ price: string; at: Date }>()
    .execute()
  return new Map(rows.map(({ symbol, ...quote }) => [symbol, quote]))
}

/** `at`: of the trade; without a price, when following began. */
export type NewFollowingPrice = { positionId: string; symbol: string; price: string | null; at: Date }

/** Notes prices of the moment at which somebody began to follow; those of an earlier moment stay. */
export async function insertFollowingPrices(
  db: Queryable,
  { subscriberId, traderId }: { traderId: string; subscriberId: string },
  prices: readonly NewFollowingPrice[],
): Promise<void> {
  if (prices.length === 0) return
  await db
    .insertInto('following_prices')
    .values(
      prices.map(({ at, positionId, price, symbol }) => ({
        trader_id: traderId,
        subscriber_id: subscriberId,
        position_id: positionId,
        symbol,
        price,
        priced_at: at,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
