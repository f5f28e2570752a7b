import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startCountingSink } from '../../server/test/counting-sink.ts'
import { inScenario, type Scenario } from '../faults/delivery-scenario.ts'
import { type Contender, compare } from '../ratio.ts'
import type { Task } from './contender.ts'

/** `DELIVERY_FOLLOWERS` chooses one size. */
const SIZES = process.env.DELIVERY_FOLLOWERS
  ? [Number(process.env.DELIVERY_FOLLOWERS)]
  : [1000, 10_000, 100_000]
/** Peers take minutes beyond this. */
const LARGEST_FOR_PEERS = 10_000
const CONNECTIONS = 10
const ROUNDS = 5

/** What a worker used for one event. */
type Use = { cpuUs: number; walBytes: number; peakMb: number }

/** Ours: from the commit of an open to the last follower's mail, planning and records included. */
function ours(mails: number, uses: Use[]): Contender {
  return {
    name: 'Tradepost, one open to all followers',
    async run() {
      let rate = 0
      await inScenario(
        async (scenario) => {
          rate = await openOnce(scenario, mails, uses)
        },
        { followers: mails },
      )
      return rate
    },
  }
}

async function openOnce(scenario: Scenario, mails: number, uses: Use[]): Promise<number> {
  const { sink } = scenario
  const worker = await scenario.startWorker({ systemClock: true })
  const before = { cpu: worker.usedCpuMs(), wal: await walBytes(scenario) }
  const committed = await scenario.publish()
  await sink.until(() => sink.byMessageId.size === mails)
  uses.push({
    cpuUs: ((worker.usedCpuMs() - before.cpu) * 1000) / mails,
    walBytes: ((await walBytes(scenario)) - before.wal) / mails,
    peakMb: worker.peakMemory(),
  })
  return (mails / ((sink.times.last ?? Number.NaN) - committed)) * 1000
}

function walBytes(scenario: Scenario): Promise<number> {
  return scenario.ask("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
}

/** A contender with a process of its own, as ours has: from the word to its last mail. */
function other(name: string, script: string, mails: number): Contender {
  const rate = async (databaseUrl: string) => {
    const sink = await startCountingSink()
    const task: Task = { port: sink.port, mails, connections: CONNECTIONS, databaseUrl }
    const child = fork(join(import.meta.dirname, script), [JSON.stringify(task)])
    await once(child, 'message')
    const began = performance.now()
    child.send('go')
    await sink.until(() => sink.total() === mails)
    const taken = (sink.times.last ?? Number.NaN) - began
    if (child.exitCode === null) await once(child, 'exit')
    await sink.close()
    return (mails / taken) * 1000
  }
  return {
    name,
    async run() {
      let measured = 0
      await inScenario(
        async (scenario) => {
          measured = await rate(scenario.database.url)
        },
        { followers: 1 },
      )
      return measured
    },
  }
}

export async function benchFanOut(): Promise<void> {
  for (const mails of SIZES) {
    const uses: Use[] = []
    const ceiling = other('pipelining over plain sockets, nothing else', 'blaster.ts', mails)
    const peers = [
      other('graphile-worker and nodemailer, in batches', 'graphile.ts', mails),
      other('nodemailer pool, no queue, no record', 'pool.ts', mails),
    ]
    const others = mails <= LARGEST_FOR_PEERS ? [ceiling, ...peers] : [ceiling]
    const title = `fan-out of ${mails} mails over ${CONNECTIONS} connections`
    await compare(title, 'mails/s', ours(mails, uses), others, ROUNDS)
    const middle = (of: (use: Use) => number) =>
      uses
        .map(of)
        .sort((a, b) => a - b)
        [uses.length >> 1]?.toFixed(0)
    console.log(
      `  the worker: ${middle((use) => use.cpuUs)} us of processor and ${middle((use) => use.walBytes)} B of WAL a mail, ` +
        `${middle((use) => use.peakMb)} MB at its peak (medians)`,
    )
  }
}
