import type pg from 'pg'

/**
 * A trader's past of years, straight into the tables: closed positions with both notes as long as they may be, their events, and the
 * trader's head. Of each position the gain is one percent.
 * @param past.withEvents of so many of the positions, the first ones
 * @param from of the first opening; one a quarter of an hour
 */
export async function insertLongHistory(
  pool: pg.Pool,
  { positions, traderId, withEvents }: { traderId: string; positions: number; withEvents: number },
  from: Date,
): Promise<void> {
  await pool.query('insert into traders (trader_id, created_at) values ($1, $2) on conflict do nothing', [
    traderId,
    from,
  ])
  for (let first = 1; first <= positions; first += 1000) {
    const last = Math.min(first + 999, positions)
    await pool.query(
      `with made as (
        insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
          close_price, close_notes, closed_at, close_preview_id, percentage_gain, override_used)
        select $1, gen_random_uuid(), 'S' || nth, 'one_to_three_weeks', 100,
          rpad(md5(nth::text), 500, md5((nth * 7)::text)), $2::timestamptz + nth * interval '15 minutes', gen_random_uuid(),
          101, rpad(md5((nth * 3)::text), 500, md5((nth * 11)::text)),
          $2::timestamptz + nth * interval '15 minutes' + interval '5 minutes', gen_random_uuid(), 1, true
        from generate_series($3::int, $4::int) nth
        returning trader_id, id, symbol, opened_at, closed_at
      )
      insert into position_events (trader_id, event_no, position_id, kind, created_at)
      select trader_id, 2 * substr(symbol, 2)::int - 1, id, 'opened', opened_at from made where substr(symbol, 2)::int <= $5
      union all select trader_id, 2 * substr(symbol, 2)::int, id, 'closed', closed_at from made where substr(symbol, 2)::int <= $5`,
      [traderId, from, first, last, withEvents],
    )
  }
  await pool.query('update traders set last_event_no = $2 where trader_id = $1', [traderId, 2 * positions])
}
