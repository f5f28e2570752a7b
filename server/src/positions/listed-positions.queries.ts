import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import { lookUpTogether } from '../platform/look-up-together.ts'

/** Of one statement: a list can be hundreds of positions long. */
const MAX_LISTS = 16

/**
 * The active positions that a person sees, newest first, as the JSON that they are answered: all of their own, and the newest of
 * those whom they follow. One statement for all who ask at once, and one state of subscriptions and positions. The database writes
 * the fields of `position` in contract/src/positions.ts, since reading rows and writing JSON here costs this process twice as
 * much (decision 0059).
 * @param statuses of a subscription that entitles
 */
export function listedPositions(options: { statuses: readonly string[]; othersLimit: number }) {
  const ask = compiledQuery(
    (_db, { ids }: { ids: string[] }) => sql<{ id: string; listed: string }>`
      select asked.id, (
        select coalesce(json_agg(case when name is null then to_json(bare) else to_json(named) end order by opened_at desc), '[]')::text
        from (
          select seen.*, (select username from accounts where user_id = seen.trader_id) as username,
            (select name from symbols where symbol = seen.symbol) as name
          from (
            select * from positions where trader_id = asked.id and closed_at is null
            union all
            (select * from positions
              where closed_at is null and trader_id = any(array(
                select trader_id from subscriptions
                where subscriber_id = asked.id and status = any(${sql.lit(`{${options.statuses.join()}}`)}::text[])
              ))
              order by opened_at desc limit ${sql.lit(options.othersLimit)})
          ) seen
        ) seen
        cross join lateral (
          select seen.id, true as active, seen.symbol as stock, seen.hold_length as "holdLength", seen.open_notes as "openNotes",
            trim_scale(seen.open_price) as "openPrice",
            to_char(seen.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "openedAt", seen.username as "user"
        ) bare
        cross join lateral (select bare.*, seen.name as "companyName") named
      ) as listed
      from unnest(${ids}::uuid[]) asked(id)`,
  )
  return lookUpTogether(async (db, ids: string[]) => {
    const rows = await ask(db, { ids })
    return new Map(rows.map(({ id, listed }) => [id, listed]))
  }, MAX_LISTS)
}
