import { sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import { type ShownPosition, shownColumns } from '../record/shown-position.ts'

/** `lastEventNo`: of the trader's last event, which rises with every change of their positions. */
export type ListedTrader = { traderId: string; lastEventNo: number; username: string }

/**
 * A person, and the traders whom they follow and who have published or can. One statement for all callers at a time.
 * @param statuses of a subscription, that entitle
 */
export function listedTraders(statuses: readonly string[]) {
  const ask = compiledQuery(
    (_db, { ids }: { ids: string[] }) => sql<ListedTrader & { viewerId: string }>`
      select asked.id as "viewerId", seen.trader_id as "traderId", trader.last_event_no as "lastEventNo",
        coalesce(account.username, '') as username
      from unnest(${ids}::uuid[]) asked(id)
      cross join lateral (
        select asked.id as trader_id
        union all
        select trader_id from subscriptions
        where subscriber_id = asked.id and status = any(${sql.lit(`{${statuses.join()}}`)}::text[])
      ) seen
      cross join lateral (select last_event_no from traders where trader_id = seen.trader_id limit 1) trader
      cross join lateral (select username from accounts where user_id = seen.trader_id limit 1) account`,
  )
  return batchedLookup(async (db, ids: string[]) => {
    const rows = await ask(db, { ids })
    return Map.groupBy(rows, ({ viewerId }) => viewerId)
  })
}

export type ActiveRow = ShownPosition & { traderId: string }

const active = sql`select trader_id as "traderId", ${shownColumns('positions')} from positions`

/**
 * The newest active positions of traders, newest first. Statements on their table alone and, of one trader, in the form that a cluster
 * passes on to the node without planning it (ADR 0069).
 * @param limit of all rows together; null for all
 */
export function listActive(db: Queryable, traderIds: string[], limit: number | null): Promise<ActiveRow[]> {
  const [traderId] = traderIds
  return traderIds.length === 1 && traderId
    ? selectActiveOfOne(db, { traderId, limit })
    : selectActiveOfMany(db, { traderIds, limit })
}

type Limited = { limit: number | null }

const selectActiveOfOne = compiledQuery(
  (_db, { limit, traderId }: Limited & { traderId: string }) => sql<ActiveRow>`
    ${active} where trader_id = ${traderId} and closed_at is null order by opened_at desc limit ${limit}`,
)

const selectActiveOfMany = compiledQuery(
  (_db, { limit, traderIds }: Limited & { traderIds: string[] }) => sql<ActiveRow>`
    ${active} where trader_id = any(${traderIds}::uuid[]) and closed_at is null order by opened_at desc limit ${limit}`,
)
