import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { peakMemoryOf, usedCpuMsOf } from '../../server/test/processes/worker-process.ts'
import { inScenario, type Scenario } from '../faults/delivery-scenario.ts'
import { type Contender, compare, median } from '../ratio.ts'
import type { Task } from './contender.ts'
import { machineNow, type SinkProcess, startSinkProcess } from './sink-process.ts'

/** `DELIVERY_FOLLOWERS` chooses one size. */
const SIZES = process.env.DELIVERY_FOLLOWERS
  ? [Number(process.env.DELIVERY_FOLLOWERS)]
  : [1000, 10_000, 100_000]
/** Peers take minutes beyond this. */
const LARGEST_FOR_PEERS = 10_000
const CONNECTIONS = 10
/** Above `LARGEST_FOR_PEERS` mails two long rounds show as much as five. */
const ROUNDS = { usual: 5, large: 2 }

/** A process does the whole work three times: the first shows it just started, the last shows it warm. */
const TIMES = 3

/** The pause between a worker's message that it runs and the first event, so that the work of a start is not measured. */
const SETTLED_MS = 2000

/**
 * A process's resources for one time: mails a second; ms from `go`, or from the commit, to the first and the last mail; microseconds
 * of processor and bytes of WAL a mail; and its highest memory so far.
 */
type Use = {
  rate: number
  firstMs: number
  lastMs: number
  cpuUs: number
  walBytes: number
  peakMb: number
}

/** Shared by all contenders of one size: followers, and a mail server in a process of its own. */
type Shared = { scenario: Scenario; sink: SinkProcess; mails: number }

/** By the name of a contender: its rounds, each with its times. */
type Rounds = Map<string, Use[][]>

/** Positions that were opened so far; each takes a symbol of its own. */
let opened = 0

/** Ours: from the commit of an open to the last follower's mail, planning and records included. */
function ours(shared: Shared, name: string, rounds: Rounds, main?: string): Contender {
  return {
    name,
    async run() {
      const uses = await openToAll(shared, main ? { main } : {})
      return note(rounds, name, uses)
    },
  }
}

/** @returns the rate of the last time */
function note(rounds: Rounds, name: string, uses: Use[]): number {
  rounds.set(name, [...(rounds.get(name) ?? []), uses])
  return uses.at(-1)?.rate ?? Number.NaN
}

/** Opens of one worker to all followers, one after the other. @returns the resources of each */
async function openToAll({ mails, scenario, sink }: Shared, through: { main?: string }): Promise<Use[]> {
  const worker = await scenario.startWorker({ systemClock: true, smtpUrl: sink.url, ...through })
  await pause(SETTLED_MS)
  const uses: Use[] = []
  for (let time = 1; time <= TIMES; time += 1) {
    const wal = await walBytes(scenario)
    const use = await timed({ pid: worker.pid, sink, mails }, async () => {
      opened += 1
      const committedAt = await scenario.publish(`S${opened}`)
      return machineNow() - (performance.now() - committedAt)
    })
    uses.push({ ...use, walBytes: ((await walBytes(scenario)) - wal) / mails })
  }
  await worker.kill()
  return uses
}

/** @param begin begins the work. @returns the resources until the last mail */
async function timed(
  { mails, pid, sink }: { mails: number; pid: number; sink: SinkProcess },
  begin: () => Promise<number>,
): Promise<Omit<Use, 'walBytes'>> {
  const { taken } = await sink.expect(mails)
  const before = usedCpuMsOf(pid)
  const began = await begin()
  const { first, last } = await taken
  return {
    rate: (mails / (last - began)) * 1000,
    firstMs: first - began,
    lastMs: last - began,
    cpuUs: ((usedCpuMsOf(pid) - before) * 1000) / mails,
    peakMb: peakMemoryOf(pid),
  }
}

function walBytes(scenario: Scenario): Promise<number> {
  return scenario.ask("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
}

/** A contender in a process of its own, as ours is: from `go` to its last mail. */
function other({ mails, scenario, sink }: Shared, name: string, script: string, rounds: Rounds): Contender {
  return {
    name,
    async run() {
      const { port } = sink
      const task: Task = { port, mails, connections: CONNECTIONS, databaseUrl: scenario.database.url }
      const child = fork(join(import.meta.dirname, script), [JSON.stringify(task)])
      await once(child, 'message')
      const uses: Use[] = []
      for (let time = 1; time <= TIMES; time += 1) {
        const done = once(child, 'message')
        const use = await timed({ pid: child.pid ?? 0, sink, mails }, async () => {
          child.send('go')
          return machineNow()
        })
        uses.push({ ...use, walBytes: 0 })
        await done
      }
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
      return note(rounds, name, uses)
    },
  }
}

/**
 * Compares one open to all followers with the same mails sent by other programs, each in a process of its own, as the mail server is.
 * `FAN_OUT_BESIDE` names the `main.ts` of another copy of the product, which then takes part; `FAN_OUT_PEERS=off` leaves the peers
 * out; `FAN_OUT_ROUNDS` sets the number of rounds.
 */
export async function benchFanOut(): Promise<void> {
  for (const mails of SIZES) {
    const sink = await startSinkProcess()
    await inScenario((scenario) => benchSize({ scenario, sink, mails }), { followers: mails })
    await sink.close()
  }
}

const OURS = 'Tradepost, one open to all followers'
const CEILING = 'pipelining over plain sockets, nothing else'

async function benchSize(shared: Shared): Promise<void> {
  const { mails } = shared
  const rounds: Rounds = new Map()
  const peers =
    mails <= LARGEST_FOR_PEERS && process.env.FAN_OUT_PEERS !== 'off'
      ? [
          other(shared, 'graphile-worker and nodemailer, in batches', 'graphile.ts', rounds),
          other(shared, 'nodemailer pool, no queue, no record', 'pool.ts', rounds),
        ]
      : []
  const beside = process.env.FAN_OUT_BESIDE
  const others = [
    other(shared, CEILING, 'blaster.ts', rounds),
    ...(beside ? [ours(shared, 'Tradepost, the other version', rounds, beside)] : []),
    ...peers,
  ]
  const title = `fan-out of ${mails} mails over ${CONNECTIONS} connections`
  const number = Number(process.env.FAN_OUT_ROUNDS ?? ROUNDS[mails > LARGEST_FOR_PEERS ? 'large' : 'usual'])
  await compare(title, 'mails/s', ours(shared, OURS, rounds), others, number)
  for (const [name, all] of rounds) print(name, all, rounds.get(CEILING) ?? [])
}

function print(name: string, rounds: Use[][], ceiling: Use[][]): void {
  const of = (all: Use[][], time: number, value: keyof Use) =>
    median(all.map((uses) => uses.at(time)?.[value] ?? Number.NaN))
  const [just, warm] = [0, -1]
  const started = rounds.map((uses, round) => (uses[0]?.rate ?? 0) / (ceiling[round]?.[0]?.rate ?? 0))
  const share = of(rounds, warm, 'cpuUs') / of(ceiling, warm, 'cpuUs')
  const ms = (value: 'firstMs' | 'lastMs') =>
    `${of(rounds, just, value).toFixed(0)} ms, warm ${of(rounds, warm, value).toFixed(0)} ms ` +
    `(${median(rounds.map((uses) => (uses[0]?.[value] ?? 0) / (uses.at(-1)?.[value] ?? 0))).toFixed(2)} times)`
  const peaks = Array.from({ length: TIMES }, (_, time) => of(rounds, time, 'peakMb').toFixed(0))
  console.log(`  ${name} (medians)`)
  console.log(
    `    just started ${of(rounds, just, 'rate').toFixed(0)} mails/s, ${median(started).toFixed(2)} of the ceiling`,
  )
  console.log(`    first event after the start: first mail ${ms('firstMs')}, last mail ${ms('lastMs')}`)
  console.log(
    `    ${of(rounds, warm, 'cpuUs').toFixed(1)} us of processor a mail, ${share.toFixed(2)} times the ceiling's; ` +
      `${of(rounds, warm, 'walBytes').toFixed(0)} B of WAL; MB at its highest after each event: ${peaks.join(', ')}`,
  )
}
