import { type RawBuilder, sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import { lookUpTogether } from '../platform/look-up-together.ts'

/** Of one statement: a list can be hundreds of positions long. */
const MAX_LISTS = 16

/**
 * A position as the JSON that it is answered, of `fromPositions`. The database writes the fields of `position` in
 * contract/src/positions.ts, since reading rows and writing JSON here costs this process twice as much (decision 0059).
 */
const asJson = sql`case when name is null then to_json(bare) else to_json(named) end`

/**
 * The fields of a position, of what is called `seen`.
 * @param from what they are selected from beside it, one row
 */
const writtenFrom = (from: RawBuilder<unknown>) => sql`
  cross join lateral (
    select seen.id, true as active, seen.symbol as stock, seen.hold_length as "holdLength", seen.open_notes as "openNotes",
      trim_scale(seen.open_price) as "openPrice",
      to_char(seen.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "openedAt", seen.username as "user"
      ${from}
  ) bare
  cross join lateral (select bare.*, seen.name as "companyName") named`

/** @param positions what is selected of their table */
const fromPositions = (positions: RawBuilder<unknown>) => sql`
  from (
    select seen.*, (select username from accounts where user_id = seen.trader_id) as username,
      (select name from symbols where symbol = seen.symbol) as name
    from (${positions}) seen
  ) seen
  ${writtenFrom(sql``)}`

type Rules = {
  /** Of a subscription, that entitle. */
  statuses: readonly string[]
  othersLimit: number
}

const followedBy = (subscriberId: RawBuilder<unknown>, { statuses }: Pick<Rules, 'statuses'>) => sql`
  select trader_id from subscriptions
  where subscriber_id = ${subscriberId} and status = any(${sql.lit(`{${statuses.join()}}`)}::text[])`

const newestOf = (traderIds: RawBuilder<unknown>, { othersLimit }: Pick<Rules, 'othersLimit'>) => sql`
  select * from positions where closed_at is null and trader_id = any(${traderIds})
  order by opened_at desc limit ${sql.lit(othersLimit)}`

/**
 * The active positions that a person sees, newest first, as JSON: all of their own, and the newest of those whom they follow. One
 * statement for all who ask at once, and one state of subscriptions and positions.
 */
export function listedPositions(rules: Rules) {
  const ask = compiledQuery(
    (_db, { ids }: { ids: string[] }) => sql<{ id: string; listed: string }>`
      select asked.id, (
        select coalesce(json_agg(${asJson} order by opened_at desc), '[]')::text
        ${fromPositions(sql`
          select * from positions where trader_id = asked.id and closed_at is null
          union all
          (${newestOf(sql`array(${followedBy(sql`asked.id`, rules)})`, rules)})`)}
      ) as listed
      from unnest(${ids}::uuid[]) asked(id)`,
  )
  return lookUpTogether(async (db, ids: string[]) => {
    const rows = await ask(db, { ids })
    return new Map(rows.map(({ id, listed }) => [id, listed]))
  }, MAX_LISTS)
}

/** A position as JSON, and when it was opened. */
export type WrittenPosition = { openedAt: Date; position: string }

/** Traders as many as names, in their order. */
type Named = { traderIds: string[]; usernames: string[] }

/** Nodes of a cluster are asked for what depends on the session's settings, as dates in words do, only where it is from something. */
const ONE_ROW = sql`from unnest(array[true]) one (row)`

/** The names come with the traders, since they may be on another node than the positions (decision 0069). */
const inOrder = (
  whose: RawBuilder<unknown>,
  { traderIds, usernames }: Named,
  limit: RawBuilder<unknown> = sql`all`,
) => sql<WrittenPosition>`
  select opened_at as "openedAt", (${asJson})::text as position
  from (
    select positions.*, owner.username, symbols.name
    from positions
    join unnest(${traderIds}::uuid[], ${usernames}::text[]) owner (trader_id, username) on owner.trader_id = positions.trader_id
    left join symbols on symbols.symbol = positions.symbol
    where positions.closed_at is null and positions.trader_id ${whose}
  ) seen
  ${writtenFrom(ONE_ROW)} order by opened_at desc limit ${limit}`

/** All active positions of one person, newest first. */
export const listOwn = compiledQuery((_db, { traderIds, usernames, userId }: Named & { userId: string }) =>
  inOrder(sql`= ${userId}`, { traderIds, usernames }),
)

/** `lastEventNo`: of the trader's last event. */
export type ListedTrader = { traderId: string; lastEventNo: number; username: string }

/** A person, and those whom they follow; of those who have published or can. */
export function listedTraders(rules: Pick<Rules, 'statuses'>) {
  return compiledQuery(
    (_db, { userId }: { userId: string }) => sql<ListedTrader>`
      select traders.trader_id as "traderId", last_event_no as "lastEventNo", coalesce(username, '') as username
      from traders join accounts on accounts.user_id = traders.trader_id
      where traders.trader_id = any(array(${followedBy(sql`${userId}`, rules)} union all select ${userId}::uuid))`,
  )
}

/** The newest active positions of traders, newest first. */
export function newestPositions({ othersLimit }: Pick<Rules, 'othersLimit'>) {
  return compiledQuery((_db, { traderIds, usernames }: Named) =>
    inOrder(sql`= any(${traderIds}::uuid[])`, { traderIds, usernames }, sql.lit(othersLimit)),
  )
}
