const NOW = new Date('2026-11-21T04:41:00Z')
export const POSITIONS_OF_A_TRADER = 100
/** People who ask; each is a trader, follows nobody and has this many active positions. */
const ACTIVE = 20
export const PEOPLE = 200

type Ask = (sql: string, values?: unknown[]) => Promise<unknown>

/** The nth person's id, as the statements below write it. */
export const personId = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
export const sessionId = (nth: number) => `10000000-0000-4000-8000-${String(nth).padStart(12, '0')}`

/** Fills a fresh database: traders with a hundred positions each, twenty of them active, and their curves. */
export async function fillWorld(ask: Ask, positions: number): Promise<void> {
  const traders = Math.max(positions / POSITIONS_OF_A_TRADER, 1)
  const id = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const session = `('10000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const everybody = Math.max(traders, PEOPLE)
  await ask('select setseed(0.5)')
  await ask(
    `insert into users (id, email, created_at, updated_at)
    select ${id}, 'p' || n || '@example.com', $2, $2 from generate_series(1, $1) n`,
    [everybody, NOW],
  )
  await ask(
    `insert into accounts (user_id, username, username_set_at, created_at)
    select ${id}, 'trader' || n, $2, $2 from generate_series(1, $1) n
    on conflict (user_id) do update set username = excluded.username, username_set_at = $2`,
    [everybody, NOW],
  )
  await ask(
    `insert into sessions (id, user_id, aal, amr, successor_seen, created_at, refreshed_at, seen_at)
    select ${session}, ${id}, 'aal1', '[{"method":"otp","timestamp":1}]', true, now(), now(), now() from generate_series(1, $1) n`,
    [PEOPLE],
  )
  await ask(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id, closed_at,
      close_price, close_notes, close_preview_id, percentage_gain)
    select ${id}, gen_random_uuid(), 'S' || 1 + (n * 31 + nth) % 300, 'one_to_three_weeks', 100, 'Bought for a reason that is long enough.', opened,
      gen_random_uuid(), closed, case when closed is not null then 103 end, case when closed is not null then 'Sold for another reason.' end,
      case when closed is not null then gen_random_uuid() end, case when closed is not null then round((random() * 20 - 7)::numeric, 6) end
    from generate_series(1, $1) n, generate_series(1, ${POSITIONS_OF_A_TRADER}) nth,
      lateral (select '2026-11-19 15:00Z'::timestamptz - random() * interval '300 days' as opened) begins,
      lateral (select case when nth > ${ACTIVE} then least(opened + interval '12 days', '2026-11-20 15:00Z') end as closed) ends`,
    [traders],
  )
  await ask(
    `insert into symbols (symbol, name) select 'S' || n, 'The company of S' || n from generate_series(1, 300) n`,
  )
  await ask(
    `insert into traders (trader_id, created_at) select ${id}, $2 from generate_series(1, $1) n on conflict do nothing`,
    [everybody, NOW],
  )
  await ask(`insert into trader_stats (trader_id, open_count, closed_count, gain_sum, win_count)
    select trader_id, count(*) filter (where closed_at is null), count(closed_at), coalesce(sum(percentage_gain), 0),
      count(*) filter (where percentage_gain > 0)
    from positions group by trader_id`)
  await ask(`insert into trader_sparklines (trader_id, levels)
    select trader_id, array_agg(round((90 + random() * 30)::numeric, 1))
    from (select trader_id from trader_stats where closed_count > 0 order by gain_avg desc limit 100) best, generate_series(0, 30)
    group by trader_id`)
  await fillNights(ask)
  await ask('vacuum analyze')
}

/** A year of closes and of traders' days, and scores of the last night, of ten traders. */
async function fillNights(ask: Ask): Promise<void> {
  await ask(`insert into symbol_days (symbol, day, close, late)
    select symbol, day::date, 100 + 5 * sin(extract(doy from day) / 20), false
    from generate_series('2025-11-20'::date, '2026-11-20', '1 day') day,
      (select 'SPY' as symbol union all select symbol from symbols) asked
    where extract(isodow from day) < 6`)
  await ask(`insert into trader_days (trader_id, day, positions, day_return, shown_return)
    select trader_id, day, 20, round((random() * 2 - 0.9)::numeric, 6), round((random() * 2 - 0.9)::numeric, 6)
    from (select trader_id from traders order by trader_id limit ${PEOPLE}) asked, symbol_days where symbol = 'SPY'`)
  await ask(`insert into score_runs (as_of, formula, ran_at, traders) values ('2026-11-20', 3, $1, 10)`, [
    NOW,
  ])
  await ask(`insert into trader_scores (as_of, trader_id, low, middle, high, reliability)
    select '2026-11-20', trader_id, nth, nth + 1, nth + 2, 0.7
    from (select trader_id, row_number() over (order by trader_id) as nth from trader_stats order by trader_id limit 10) best`)
  await ask(`update positions set public_at = opened_at + interval '22 days' where closed_at is null`)
  await ask(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at, asked_at, for_opened_before)
    select symbol, 104, $1, $1, $1, $1 from symbols`,
    [NOW],
  )
}
