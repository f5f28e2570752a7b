import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { makeLeaderboard } from '../server/src/leaderboard/read-leaderboard.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { connectDatabase, type Queryable } from '../server/src/platform/database.ts'
import { DatabaseClient } from '../server/src/platform/database-client.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { readAllFromPrimary } from '../server/src/platform/replica.ts'
import { readProven } from '../server/src/proven/read-proven.ts'
import { scoreAllTraders } from '../server/src/proven/score-traders.ts'
import { keepDirectory } from '../server/src/quotes/directory.ts'
import { readTrackRecord } from '../server/src/traders/read-track-record.ts'
import { makeTraderRecord } from '../server/src/traders/trader-record.ts'
import { findTrader } from '../server/src/traders/traders.queries.ts'
import { testSettings } from '../server/test/build-test-app.ts'

const SIZES = [100, 10_000, 100_000]
const POSITIONS_OF_A_TRADER = 20
const READS = 200
/** A Saturday night: the last session is that of Friday. */
const NOW = new Date('2026-11-21T04:41:00Z')
const NOBODY = '00000000-0000-0000-0000-000000000000'
const ADA = '00000000-0000-0000-0000-000000000001'

/**
 * How the reads of the record, and the night's job, grow with the number of traders: 100, 10,000 and 100,000 with twenty positions
 * each and a day for each of the last 252 sessions. A night computes one more day of everybody. Each size has a server of its own;
 * nothing else is the peer but the smallest size.
 */
export async function benchRecordSize(): Promise<void> {
  const first = new Map<string, number>()
  for (const traders of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
    const log = makeLog('silent', false)
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
    const database = connectDatabase({ url: postgres.url, size: 4, log })
    try {
      await migrate(postgres.url, log)
      await fill(postgres.url, traders)
      const began = performance.now()
      const run = await scoreAllTraders({ db: database.db, indexSymbol: 'SPY' }, NOW)
      const seconds = (performance.now() - began) / 1000
      console.log(`\n${traders} traders, ${traders * POSITIONS_OF_A_TRADER} positions`)
      console.log(`  night's job: ${seconds.toFixed(2)} s, ${run?.traders} scored`)
      for (const [name, read] of Object.entries(reads(database.db))) {
        const ms = await medianMs(read)
        const least = first.get(name) ?? ms
        first.set(name, least)
        console.log(
          `  ${name}: ${ms.toFixed(2)} ms, ${(ms / least).toFixed(2)} times that of ${SIZES[0]} traders`,
        )
      }
    } finally {
      await database.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function reads(db: Queryable): Record<string, () => Promise<unknown>> {
  return {
    Proven: () => readProven(db, NOBODY, NOW),
    'Proven for a trader beyond it': () => readProven(db, ADA, NOW),
    leaderboard: () => makeLeaderboard({ db, pipelined: db })(NOBODY),
    'leaderboard for a trader beyond it': () => makeLeaderboard({ db, pipelined: db })(ADA),
    'a trader by name': () => findTrader(db, NOBODY, 'Trader1'),
    'a trader with record and latest closed positions, nothing kept': () => readRecord(db),
    'a curve': () =>
      readTrackRecord(
        { db, others: readAllFromPrimary(db), settings: testSettings() },
        { userId: NOBODY, sessionId: NOBODY, email: '' },
        'Trader1',
        { range: '1y', now: NOW },
      ),
  }
}

async function readRecord(db: Queryable): Promise<unknown> {
  const deps = {
    db,
    pipelined: db,
    others: readAllFromPrimary(db),
    directory: keepDirectory({ db, clock: systemClock }),
  }
  const found = await findTrader(db, NOBODY, 'Trader1')
  return found && makeTraderRecord(deps)(found.trader, NOW)
}

async function medianMs(read: () => Promise<unknown>): Promise<number> {
  const times = []
  for (let nth = 0; nth < READS; nth += 1) {
    const began = performance.now()
    await read()
    times.push(performance.now() - began)
  }
  return times.toSorted((one, other) => one - other)[READS / 2] ?? Number.NaN
}

async function fill(url: string, traders: number): Promise<void> {
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
    [traders, NOW],
  )
  await ask(
    `insert into accounts (user_id, username, username_set_at, created_at)
    select ${id}, 'trader' || n, $2, $2 from generate_series(1, $1) n
    on conflict (user_id) do update set username = excluded.username, username_set_at = $2`,
    [traders, NOW],
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
    from generate_series(1, $1) n, generate_series(1, ${POSITIONS_OF_A_TRADER}) nth,
      lateral (select '2026-11-19 15:00Z'::timestamptz - random() * interval '300 days' as opened) begins,
      lateral (select case when nth > 3 then least(opened + interval '12 days', '2026-11-20 15:00Z') end as closed) ends`,
    [traders],
  )
  await ask(
    `insert into traders (trader_id, created_at) select ${id}, $2 from generate_series(1, $1) n on conflict do nothing`,
    [traders, NOW],
  )
  await ask(
    `insert into trader_stats (trader_id, open_count, closed_count, gain_sum)
    select ${id}, 3, ${POSITIONS_OF_A_TRADER - 3}, 200 * (random() - 0.3) from generate_series(1, $1) n`,
    [traders],
  )
  await ask(
    `insert into trader_days (trader_id, day, positions, day_return, shown_return, excess, shown_excess)
    select ${id}, day, 3, random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5 from generate_series(1, $1) n, (${session} offset 1) sessions
    where day < '2026-11-20'`,
    [traders],
  )
  await ask(`insert into day_runs values (3, '2026-11-19', '2026-11-20 04:41Z')`)
  await ask('vacuum analyze')
  await client.end()
}
