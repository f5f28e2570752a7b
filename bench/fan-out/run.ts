import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startCountingSink } from '../../server/test/counting-sink.ts'
import { inScenario, type Scenario } from '../faults/delivery-scenario.ts'
import { type Contender, compare, median } from '../ratio.ts'
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
export type Use = { cpuUs: number; walBytes: number; peakMb: number }

/** Each contender does the whole work twice in a process: as one that has just started, and as one that has been running. */
const TIMES = 2

/** Rates of the first time, by contender. */
type Starts = Map<string, number[]>

/** Ours: from the commit of an open to the last follower's mail, planning and records included. */
function ours(mails: number, uses: Use[], starts: Starts): Contender {
  const name = 'Tradepost, one open to all followers'
  return {
    name,
    async run() {
      let rate = 0
      await inScenario(
        async (scenario) => {
          const rates = await openToAll(scenario, mails, uses)
          note(starts, name, rates)
          rate = rates.at(-1) ?? Number.NaN
        },
        { followers: mails },
      )
      return rate
    },
  }
}

function note(starts: Starts, name: string, rates: number[]): void {
  starts.set(name, [...(starts.get(name) ?? []), rates[0] ?? Number.NaN])
}

/** One open to all followers, twice. @returns mails a second, each time */
export async function openToAll(
  scenario: Scenario,
  mails: number,
  uses: Use[],
  through: { bounceAddress?: string; main?: string } = {},
): Promise<number[]> {
  const { sink } = scenario
  const worker = await scenario.startWorker({ systemClock: true, ...through })
  let before = { cpu: 0, wal: 0 }
  const rates: number[] = []
  for (let time = 1; time <= TIMES; time += 1) {
    before = { cpu: worker.usedCpuMs(), wal: await walBytes(scenario) }
    const committed = await scenario.publish(`S${time}`)
    await sink.until(() => sink.byMessageId.size === time * mails)
    rates.push((mails / ((sink.times.last ?? Number.NaN) - committed)) * 1000)
  }
  uses.push({
    cpuUs: ((worker.usedCpuMs() - before.cpu) * 1000) / mails,
    walBytes: ((await walBytes(scenario)) - before.wal) / mails,
    peakMb: worker.peakMemory(),
  })
  return rates
}

function walBytes(scenario: Scenario): Promise<number> {
  return scenario.ask("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
}

/** A contender with a process of its own, as ours has: from the word to its last mail. */
function other(name: string, script: string, mails: number, starts: Starts): Contender {
  const rate = async (databaseUrl: string) => {
    const sink = await startCountingSink()
    const task: Task = { port: sink.port, mails, connections: CONNECTIONS, databaseUrl }
    const child = fork(join(import.meta.dirname, script), [JSON.stringify(task)])
    await once(child, 'message')
    const rates: number[] = []
    for (let time = 1; time <= TIMES; time += 1) {
      const done = once(child, 'message')
      const began = performance.now()
      child.send('go')
      await sink.until(() => sink.total() === time * mails)
      rates.push((mails / ((sink.times.last ?? Number.NaN) - began)) * 1000)
      await done
    }
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
    await sink.close()
    note(starts, name, rates)
    return rates.at(-1) ?? Number.NaN
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
    const starts: Starts = new Map()
    const ceiling = other('pipelining over plain sockets, nothing else', 'blaster.ts', mails, starts)
    const peers = [
      other('graphile-worker and nodemailer, in batches', 'graphile.ts', mails, starts),
      other('nodemailer pool, no queue, no record', 'pool.ts', mails, starts),
    ]
    const others = mails <= LARGEST_FOR_PEERS ? [ceiling, ...peers] : [ceiling]
    const title = `fan-out of ${mails} mails over ${CONNECTIONS} connections`
    await compare(title, 'mails/s', ours(mails, uses, starts), others, ROUNDS)
    const [own = [], ...theirs] = starts.values()
    const names = [...starts.keys()].slice(1)
    const shares = theirs.map((rates, index) => {
      const ratios = own.map((rate, round) => rate / (rates[round] ?? Number.NaN))
      return `${median(ratios).toFixed(2)} times ${names[index]}`
    })
    console.log(`  just started: ${median(own).toFixed(0)} mails/s, ${shares.join('; ')}`)
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
