import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { makeLeaderboard } from '../server/src/leaderboard/read-leaderboard.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { connectDatabase, type Queryable } from '../server/src/platform/database.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { readAllFromPrimary } from '../server/src/platform/replica.ts'
import { makeProven } from '../server/src/proven/read-proven.ts'
import { scoreAllTraders } from '../server/src/proven/score-traders.ts'
import { keepDirectory } from '../server/src/quotes/directory.ts'
import { makeTrackRecord } from '../server/src/traders/read-track-record.ts'
import { makeTraderRecord } from '../server/src/traders/trader-record.ts'
import { findTrader } from '../server/src/traders/traders.queries.ts'
import { testSettings } from '../server/test/build-test-app.ts'
import { fillRecord, NIGHT as NOW } from './night/world.ts'

const SIZES = [100, 10_000, 100_000]
const POSITIONS_OF_A_TRADER = 20
const READS = 200
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
      await fillRecord(postgres.url, { traders, positions: POSITIONS_OF_A_TRADER, knownUntil: '2026-11-19' })
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
  const alone = { db, pipelined: db, others: readAllFromPrimary(db) }
  return {
    Proven: () => makeProven(alone)(NOBODY, NOW),
    'Proven for a trader beyond it': () => makeProven(alone)(ADA, NOW),
    leaderboard: () => makeLeaderboard({ db, pipelined: db })(NOBODY),
    'leaderboard for a trader beyond it': () => makeLeaderboard({ db, pipelined: db })(ADA),
    'a trader by name': () => findTrader(db, NOBODY, 'Trader1'),
    'a trader with record and latest closed positions, nothing kept': () => readRecord(db),
    'a curve': () => {
      const readTrackRecord = makeTrackRecord({ ...alone, settings: testSettings() })
      const caller = { userId: NOBODY, sessionId: NOBODY, email: '' }
      return readTrackRecord(caller, 'Trader1', { range: '1y', now: NOW })
    },
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
