import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../server/src/dev/embedded-postgres.ts'
import { connectDatabase } from '../../server/src/platform/database/database.ts'
import { makeLog } from '../../server/src/platform/log.ts'
import { migrate } from '../../server/src/platform/upgrade/migrate.ts'
import type { TestDatabase } from '../../server/test/database/database.ts'
import { addFollowers, type Crowd, makeCrowdTrader, publish } from '../../server/test/followers.ts'
import { type CountingSink, startCountingSink } from '../../server/test/mails/counting-sink.ts'
import type { TlsFront } from '../../server/test/processes/tls-front.ts'
import { startWorkerProcess, type WorkerProcess } from '../../server/test/processes/worker-process.ts'

/** A trader with followers, a worker in a separate process, and a mail server that counts mails. */
export type Scenario = {
  database: TestDatabase
  trader: Crowd
  sink: CountingSink
  followers: string[]
  connections: number
  clockFile: string
  /**
   * @param through.front before the mail server, whose certificates the worker trusts
   * @param through.smtpUrl another mail server than the one that counts
   * @param through.databaseUrl another way to the database
   * @param through.systemClock as in production: a clock that can be moved looks into a file each time
   * @param through.flags of Node, beside those of production
   * @param through.bounceAddress of mails that name themselves there; they do not unless given
   * @param through.bounceImapUrl the mailbox of their bounces; there is none unless given
   * @param through.main of a copy of the product; its own unless given
   * @param through.dataDir of its host, one for all workers unless given
   */
  startWorker(through?: {
    front?: Pick<TlsFront, 'trusted' | 'url'>
    smtpUrl?: string
    databaseUrl?: string
    systemClock?: boolean
    flags?: string[]
    dataDir?: string
    bounceAddress?: string
    bounceImapUrl?: string
    main?: string
  }): Promise<WorkerProcess>
  /** Opens one position; a symbol is good once. @returns when it was committed, of `performance.now()` */
  publish(symbol?: string): Promise<number>
  /** First column of the first row. */
  ask(sql: string): Promise<number>
}

export const FOLLOWERS = Number(process.env.DELIVERY_FOLLOWERS ?? 10_000)
const CONNECTIONS = 10

/** Runs `work` on a fresh database; takes everything down again. */
export async function inScenario(
  work: (scenario: Scenario) => Promise<void>,
  size: { followers: number } = { followers: FOLLOWERS },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-faults-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  try {
    await migrate(postgres.url, log)
    await inScenarioOn(postgres.url, work, size)
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on a database that is there and migrated. */
export async function inScenarioOn(
  url: string,
  work: (scenario: Scenario) => Promise<void>,
  size: { followers: number },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-faults-'))
  const database = { ...connectDatabase({ url, size: 4, log: makeLog('silent', false) }), url }
  const sink = await startCountingSink()
  const workers: WorkerProcess[] = []
  try {
    await work(await setUpScenario({ database, sink, workers, folder, ...size }))
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
    await sink.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function setUpScenario(parts: {
  database: TestDatabase
  sink: CountingSink
  workers: WorkerProcess[]
  folder: string
  followers: number
}): Promise<Scenario> {
  const { database, sink } = parts
  const now = new Date()
  const trader = await makeCrowdTrader(database.pool, 'maria', now)
  const followers = await addFollowers(database.pool, trader, parts.followers, now)
  const others = await makeCrowdTrader(database.pool, 'other', now)
  await addFollowers(database.pool, others, 100, now)
  await database.pool.query('analyze')
  const clockFile = join(parts.folder, 'clock')
  return {
    database,
    trader,
    sink,
    followers,
    connections: CONNECTIONS,
    clockFile,
    async startWorker({ front, databaseUrl = database.url, systemClock = false, ...given } = {}) {
      const trustFile = join(parts.folder, 'trusted.pem')
      if (front) writeFileSync(trustFile, front.trusted.join(''))
      const target = {
        databaseUrl,
        smtpUrl: front?.url ?? sink.url,
        connections: CONNECTIONS,
        ...(!systemClock && { clockFile }),
        ...given,
        ...(front && { trustFile }),
      }
      const worker = await startWorkerProcess(target)
      parts.workers.push(worker)
      return worker
    },
    async publish(symbol = 'AAPL') {
      return (await publish(database.db, trader, { symbol }, now)).committedAt
    },
    async ask(sql) {
      const { rows } = await database.pool.query<Record<string, number>>(sql)
      return Number(Object.values(rows[0] ?? {})[0])
    },
  }
}
