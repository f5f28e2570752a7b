import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import type { Settings } from '../../src/platform/settings.ts'
import { chooseProvider } from '../../src/quotes/adapters/choose-provider.ts'
import { makeCalls } from '../../src/quotes/provider/take-call.ts'
import { startWorker } from '../../src/worker.ts'
import { makeTestClock, TEST_NOW, type TestApp, type TestClock, testSettings } from '../build-test-app.ts'
import { testDataDir } from '../database/data-dir.ts'
import { openTestDatabase, type TestDatabase } from '../database/database.ts'
import { type CountingSink, startCountingSink } from './counting-sink.ts'

/** A worker between its own database and a counting mail server, under a clock that the test moves. */
export type DeliveryScenario = AsyncDisposable & {
  database: Pick<TestDatabase, 'db' | 'pool' | 'dropIdle' | 'url'>
  sink: CountingSink
  clock: TestClock
  settings: Settings
  /** The errors that workers logged; a test that expects some takes them out, or fails at its end. */
  complaints: string[]
  /** @param other the mail server, that of the sink unless given; another way to the database */
  startWorker(other?: { smtpUrl?: string; databaseUrl?: string }): Promise<{ stop(): Promise<void> }>
  /** Moves the clock, and wakes the workers that wait, so that they look at it. */
  advance(milliseconds: number): Promise<void>
  /** Moves the clock in steps until the condition holds: for a worker that may look at it a little later than the test. */
  advanceUntil(step: number, condition: () => boolean | Promise<boolean>): Promise<void>
  /** Waits until nothing of any event is left to plan, to send or to try again: who has no mail now gets none. */
  untilNothingIsLeft(): Promise<void>
  /** Waits until all that is left waits for its time, so that the next answers of the server are those to what is due then. */
  untilAllWait(): Promise<void>
  /** How many rows of the delivery store answer to a condition. */
  countRanges(condition: string): Promise<number>
  countExceptions(condition: string): Promise<number>
}

const POLL_MS = 25
/** For so many looks the clock waits for leases to end: a worker that hangs keeps them for good. */
const WAITS_FOR_WORKERS = 40

/**
 * @param options.connections of the worker to the mail server, 4 unless given
 * @param options.operatorEmail who is mailed about what the operator is to know; nobody unless given
 * @param options.reports where what comes back of mails goes; nowhere unless given
 * @param options.app whose database and clock the worker shares; without it there are fresh ones
 * @param options.database instead of a fresh one
 */
export async function startDeliveryScenario(
  options: {
    connections?: number
    app?: TestApp
    database?: TestDatabase
    operatorEmail?: string | null
    reports?: Settings['reports']
  } = {},
): Promise<DeliveryScenario> {
  const given = options.app ?? options.database
  const own = given ? null : await openTestDatabase()
  const database = given ?? (own as TestDatabase)
  const sink = await startCountingSink()
  const clock = options.app?.clock ?? makeTestClock(TEST_NOW)
  const mail = {
    smtpUrl: sink.url,
    from: 'Tradepost <signals@tradepost.example>',
    connections: options.connections ?? 4,
    progressDir: join(testDataDir, 'delivery'),
  }
  const settings = testSettings({
    mail,
    origin: 'https://tradepost.example',
    operatorEmail: options.operatorEmail ?? null,
    ...(options.reports && { reports: options.reports }),
  })
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => errors.push(line) })
  const advance = async (milliseconds: number) => {
    clock.advance(milliseconds)
    await database.pool.query(
      "select pg_notify('deliveries', ''), pg_notify('event_work', ''), pg_notify('outbox', ''), pg_notify('pushes', '')",
    )
  }
  const workers: { stop(): Promise<void> }[] = []
  const count = async (table: string, condition: string) => {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*)::int as count from ${table} where ${condition}`,
    )
    return rows[0]?.count ?? 0
  }
  return {
    database,
    sink,
    clock,
    settings,
    complaints: errors,
    async startWorker({ smtpUrl = sink.url, databaseUrl = database.url } = {}) {
      const { db, dropIdle } = database
      const worker = await startWorker({
        db,
        databaseUrl,
        dropIdle,
        clock,
        log,
        provider: chooseProvider(settings, clock),
        calls: makeCalls({ db, pipelined: database.pipelined, clock, perMinute: settings.quotesPerMinute }),
        settings: { ...settings, mail: { ...mail, smtpUrl } },
      })
      let stopping: Promise<void> | null = null
      const once = {
        stop() {
          stopping ??= worker.stop()
          return stopping
        },
      }
      workers.push(once)
      return once
    },
    advance,
    async advanceUntil(step, condition) {
      for (let waited = 0; !(await condition()); await pause(POLL_MS)) {
        // On a slow machine a clock that runs ahead would make a worker's leases look expired.
        const leased =
          (await count('delivery_ranges', 'lease_owner is not null')) +
          (await count('delivery_exceptions', "state = 'retry' and lease_owner is not null"))
        waited = leased > 0 && waited < WAITS_FOR_WORKERS ? waited + 1 : 0
        if (waited === 0) await advance(step)
      }
    },
    async untilNothingIsLeft() {
      const left = async () =>
        (await count('event_work', 'true')) +
        (await count('delivery_ranges', 'done_at is null')) +
        (await count('delivery_exceptions', "state = 'retry'"))
      for (; (await left()) > 0; await pause(POLL_MS));
    },
    async untilAllWait() {
      const countDue = async () => {
        const now = clock.now().toISOString()
        return (
          (await count('event_work', 'true')) +
          (await count(
            'delivery_ranges',
            `done_at is null and (lease_owner is not null or held_until is null or held_until <= '${now}')`,
          )) +
          (await count(
            'delivery_exceptions',
            `state = 'retry' and (lease_owner is not null or retry_at <= '${now}')`,
          ))
        )
      }
      for (; (await countDue()) > 0; await pause(POLL_MS));
    },
    countRanges: (condition) => count('delivery_ranges', condition),
    countExceptions: (condition) => count('delivery_exceptions', condition),
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await sink.close()
      await own?.[Symbol.asyncDispose]()
      // A worker's failure shows in the delivery store late or never; its log shows it at once.
      if (errors.length > 0) throw new Error(`The worker complained: ${errors.join('')}`)
    },
  }
}
