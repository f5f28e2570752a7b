import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { withoutLimits } from '../server/src/backup/long-statements.ts'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { connectDatabase } from '../server/src/platform/database/database.ts'
import { type Queryable, withTransaction } from '../server/src/platform/database/queryable.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/upgrade/migrate.ts'
import { listTraderIds } from '../server/src/positions/record/stats.queries.ts'
import { listSessions, planForLists } from '../server/src/proven/days.queries.ts'
import { BEFORE_ALL } from '../server/src/proven/in-pages.ts'
import { scoreAllTraders } from '../server/src/proven/score-traders.ts'
import { insertDays } from '../server/src/proven/trader-days.queries.ts'
import { fillRecord, NIGHT } from './night/world.ts'
import { compare } from './ratio.ts'

const WORLDS = [
  { traders: 1000, positions: 20 },
  { traders: 1000, positions: 100 },
  { traders: 100, positions: 1000 },
]
const ROUNDS = Number(process.env.NIGHT_ROUNDS ?? 3)
/** The Friday before: all of the week after it is missing. */
const KNOWN_UNTIL = '2026-11-13'

/**
 * The night's job where a week is missing, of traders with few, many and very many positions, in turn with its ceiling: one statement over
 * all of them, which computes the same days and nothing else, without a limit or a place to go on from.
 */
export async function benchNight(): Promise<void> {
  for (const { positions, traders } of WORLDS) {
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
    const log = makeLog('silent', false)
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
    const database = connectDatabase({ url: postgres.url, size: 4, log })
    try {
      await migrate(postgres.url, log)
      await fillRecord(postgres.url, { traders, positions, knownUntil: KNOWN_UNTIL })
      const days = traders * 5
      const timed = (work: () => Promise<unknown>) => async () => {
        await forget(database.db)
        const began = performance.now()
        await work()
        return days / ((performance.now() - began) / 1000)
      }
      const night = timed(() => scoreAllTraders({ db: database.db, indexSymbol: 'SPY' }, NIGHT))
      const alone = timed(() => withoutLimits(postgres.url, computeAtOnce))
      await compare(
        `a week of ${traders} traders with ${positions} positions each, load ${loadavg()[0]?.toFixed(1)}`,
        'days of a trader/s',
        { name: 'Tradepost, with scores and curves', run: night },
        [{ name: 'one statement over all traders', run: alone }],
        ROUNDS,
      )
    } finally {
      await database.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** As if the week had never been computed. */
async function forget(db: Queryable): Promise<void> {
  await sql`delete from trader_days where day > ${KNOWN_UNTIL}::date`.execute(db)
  await sql`update day_runs set as_of = ${KNOWN_UNTIL}::date, ran_at = ${KNOWN_UNTIL}::date + 1`.execute(db)
}

async function computeAtOnce(db: Queryable): Promise<void> {
  const sessions = await listSessions(db, { indexSymbol: 'SPY', before: '2026-11-21' })
  const traderIds = await listTraderIds(db, BEFORE_ALL, 1_000_000)
  await withTransaction(db, async (tx) => {
    await planForLists(tx)
    await insertDays(
      tx,
      traderIds.map((traderId) => ({ traderId, from: '2026-11-14' })),
      { indexSymbol: 'SPY', sessions: sessions.slice(-5), now: NIGHT },
    )
  })
}
