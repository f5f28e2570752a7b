import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import { DAYS_VERSION } from '../../server/src/proven/compute-days.ts'

/** A Saturday night: the last session is that of Friday. */
export const NIGHT = new Date('2026-11-21T04:41:00Z')

/**
 * Fills a fresh database: traders with so many positions each, three of them open, and a day for each of the last 252 sessions up to the
 * one that is known to be computed, as `2026-11-19`.
 */
export async function fillRecord(
  url: string,
  { knownUntil, positions, traders }: { traders: number; positions: number; knownUntil: string },
): Promise<void> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  const ask = (sql: string, values: unknown[] = []) => client.query(sql, values)
  const id = `('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid`
  const session = `select day::date, row_number() over (order by day) as no from generate_series('2025-12-01'::date, '2026-11-20', '1 day') day
    where extract(isodow from day) <= 5`
  await ask('select setseed(0.5)')
  await ask(
    `insert into users (id, email, created_at, updated_at)
    select ${id}, 'p' || n || '@example.com', $2, $2 from generate_series(1, $1) n`,
    [traders, NIGHT],
  )
  await ask(
    `insert into accounts (user_id, username, username_set_at, created_at)
    select ${id}, 'trader' || n, $2, $2 from generate_series(1, $1) n
    on conflict (user_id) do update set username = excluded.username, username_set_at = $2`,
    [traders, NIGHT],
  )
  await ask(`insert into symbol_days (symbol, day, close, late)
    select symbol, day, 100 + no % 7, false from (${session}) sessions,
      (select 'S' || n as symbol from generate_series(1, 2000) n union all select 'SPY') symbols`)
  await ask(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id, closed_at,
      close_price, close_notes, close_preview_id, percentage_gain)
    select ${id}, gen_random_uuid(), 'S' || 1 + (n * 31 + nth * 97) % 2000, 'one_to_three_weeks', 100, 'ten or more', opened,
      gen_random_uuid(), closed, case when closed is not null then 103 end, case when closed is not null then 'ten or more' end,
      case when closed is not null then gen_random_uuid() end, case when closed is not null then 3 end
    from generate_series(1, $1) n, generate_series(1, ${positions}) nth,
      lateral (select '2026-11-19 15:00Z'::timestamptz - random() * interval '300 days' as opened) begins,
      lateral (select case when nth > 3 then least(opened + interval '12 days', '2026-11-20 15:00Z') end as closed) ends`,
    [traders],
  )
  await ask(
    `insert into traders (trader_id, created_at) select ${id}, $2 from generate_series(1, $1) n on conflict do nothing`,
    [traders, NIGHT],
  )
  await ask(
    `insert into trader_stats (trader_id, open_count, closed_count, gain_sum)
    select ${id}, 3, ${positions - 3}, 200 * (random() - 0.3) from generate_series(1, $1) n`,
    [traders],
  )
  await ask(
    `insert into trader_days (trader_id, day, positions, day_return, shown_return, excess, shown_excess)
    select ${id}, day, 3, random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5 from generate_series(1, $1) n, (${session} offset 1) sessions
    where day <= $2`,
    [traders, knownUntil],
  )
  await ask('insert into day_runs (version, as_of, ran_at) values ($1, $2, $3)', [
    DAYS_VERSION,
    knownUntil,
    new Date(Date.parse(`${knownUntil}T04:41:00Z`) + 86_400_000),
  ])
  await ask('vacuum analyze')
  await client.end()
}
