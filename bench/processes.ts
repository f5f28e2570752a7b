import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type QuoteServer, startQuoteServer } from '../server/test/prices/quote-server.ts'
import { startWorkerProcess, type WorkerProcess } from '../server/test/processes/worker-process.ts'
import { inScenario, type Scenario } from './faults/delivery-scenario.ts'
import { openAll, readAll } from './processes/api-load.ts'
import { type Measured, measure } from './processes/measured.ts'
import { printProfile } from './processes/profile.ts'
import { printTable } from './processes/table.ts'
import { type Watcher, watchSessions } from './processes/waits.ts'
import { makeRoom, type Room, startOurs } from './reads/room.ts'
import type { ServerProcess } from './server-process.ts'

const COUNTS = [1, 2, 4]
const ROUNDS = Number(process.env.PROCESSES_ROUNDS ?? 5)
const POSITIONS = Number(process.env.PROCESSES_POSITIONS ?? 100_000)
const MAILS = Number(process.env.PROCESSES_MAILS ?? 40_000)
/** For `--cpu-prof`. */
const PROFILED_TIMES = 3

/** By how many processes worked, each round. */
type Rounds = Map<number, Measured[]>

/**
 * One, two and four api in turn on one database: what each adds, who spends the processor time, and what sessions of the database wait
 * for. `PROCESSES_ROUNDS` (5) and `PROCESSES_POSITIONS` (100,000) change the size.
 */
export async function benchApis(): Promise<void> {
  const room = await makeRoom(POSITIONS)
  const quotes = await startQuoteServer()
  const { base, key } = quotes.provider
  const env = { QUOTES_API_BASE: base, QUOTES_API_KEY: key, MARKET_OVERRIDE: 'open' }
  await using held = new AsyncDisposableStack()
  held.defer(() => room.stop())
  held.use(quotes)
  const watcher = held.use(await watchSessions(room.url))
  // Somebody reads the opened positions.
  const worker = await startWorkerProcess({
    databaseUrl: room.url,
    smtpUrl: 'smtp://127.0.0.1:9',
    connections: 4,
  })
  held.defer(async () => void (await worker.stop()))
  const apis: ServerProcess[] = []
  held.defer(async () => void (await Promise.all(apis.map((api) => api.stop()))))
  while (apis.length < Math.max(...COUNTS)) apis.push(await startOurs(room.url, { env }))
  // The first time code is compiled and connections are opened.
  await readAll(apis, room)
  const reads = await inTurn((count) => ofApis(watcher, apis.slice(0, count), (some) => readAll(some, room)))
  printTable('api', 'read', reads)
  await openAll(apis, room, quotes)
  const opens = await inTurn((count) =>
    ofApis(watcher, apis.slice(0, count), (some) => openAll(some, room, quotes)),
  )
  printTable('api', 'open', opens)
  await profileApi(room, quotes, env)
}

function ofApis(
  watcher: Watcher,
  apis: ServerProcess[],
  work: (apis: ServerProcess[]) => Promise<number>,
): Promise<Measured> {
  const pids = apis.map(({ pid }) => pid)
  return measure(watcher, pids, () => work(apis))
}

/** Each count once in each round. */
async function inTurn(run: (count: number) => Promise<Measured>): Promise<Rounds> {
  const rounds: Rounds = new Map(COUNTS.map((count) => [count, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const count of COUNTS) rounds.get(count)?.push(await run(count))
  return rounds
}

async function profileApi(room: Room, quotes: QuoteServer, env: Record<string, string>): Promise<void> {
  await profiled(['reads', 'opens'], async (what, flags) => {
    const api = await startOurs(room.url, { env, flags })
    for (let time = 0; time < PROFILED_TIMES; time += 1)
      await (what === 'reads' ? readAll([api], room) : openAll([api], room, quotes))
    await api.stop()
  })
}

async function profiled(
  whats: string[],
  run: (what: string, flags: string[]) => Promise<void>,
): Promise<void> {
  for (const what of whats) {
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-profile-'))
    try {
      await run(what, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
      printProfile(`one process, ${what}`, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The same of workers. `PROCESSES_MAILS` (40,000) are those of an event. */
export function benchWorkers(): Promise<void> {
  return inScenario(workersInTurn, { followers: MAILS })
}

async function workersInTurn(scenario: Scenario): Promise<void> {
  await using watcher = await watchSessions(scenario.database.url)
  const workers: WorkerProcess[] = []
  const mails = await inTurn(async (count) => {
    await Promise.all(workers.splice(count).map((worker) => worker.stop()))
    while (workers.length < count) workers.push(await scenario.startWorker({ systemClock: true }))
    // As of those that have been running: the first event of a process compiles its code.
    await mailAll(scenario)
    const pids = workers.map(({ pid }) => pid)
    return measure(watcher, pids, () => mailAll(scenario))
  })
  await Promise.all(workers.map((worker) => worker.stop()))
  printTable('worker', 'mail', mails)
  await profiled(['mails'], async (_what, flags) => {
    const worker = await scenario.startWorker({ systemClock: true, flags })
    for (let time = 0; time < PROFILED_TIMES; time += 1) await mailAll(scenario)
    await worker.stop()
  })
}

let events = 0

/** From the commit of an open to its last mail. @returns how many */
async function mailAll({ sink, followers, publish }: Scenario): Promise<number> {
  events += 1
  const before = sink.total()
  await publish(`E${events}`)
  await sink.until(() => sink.total() >= before + followers.length)
  return followers.length
}
