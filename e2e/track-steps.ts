import { scoreAllTraders } from '../server/src/proven/score-traders.ts'
import type { Person } from './fixtures.ts'
import type { Product } from './product.ts'

const DAY_MS = 86_400_000

/** Closes of SPY and KO for the 40 days before now, KO 1 % higher each day, and a night's run. Two positions in KO, one still open. */
export async function makeCurve(product: Product, { id }: Person): Promise<void> {
  const { pool } = product.database
  const now = product.now()
  await pool.query(
    `insert into symbol_days (symbol, day, close, late)
     select symbol, ($1::timestamptz - n * interval '1 day')::date, case symbol when 'SPY' then 500 else round(100 * power(1.01, 40 - n), 2) end, false
     from generate_series(1, 40) n, unnest('{SPY,KO}'::text[]) symbol
     on conflict (symbol, day) do update set close = excluded.close`,
    [now],
  )
  await pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     values ($1, gen_random_uuid(), 'KO', 'one_to_three_weeks', 110, 'Why it was opened.', $2, gen_random_uuid(), 121,
         'Why it was closed.', $3, gen_random_uuid(), 10),
       ($1, gen_random_uuid(), 'KO', 'one_to_three_weeks', 120, 'Why it was opened.', $4, gen_random_uuid(), null, null, null, null,
         null)`,
    [id, daysBefore(now, 30), daysBefore(now, 20), daysBefore(now, 5)],
  )
  await pool.query(
    `insert into trader_stats (trader_id, open_count, closed_count, gain_sum, win_count, kept_count) values ($1, 1, 1, 10, 1, 1)
     on conflict (trader_id) do update set open_count = 1, closed_count = 1, gain_sum = 10, win_count = 1, kept_count = 1`,
    [id],
  )
  // Without the record of the last night's run, changes from before it are new to the next run.
  await pool.query('delete from day_runs')
  await scoreAllTraders({ db: product.database.db, indexSymbol: 'SPY' }, now)
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)
