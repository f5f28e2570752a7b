import { setTimeout as pause } from 'node:timers/promises'
import { publish } from '../server/test/followers.ts'
import { inScenario, type Scenario } from './faults/delivery-scenario.ts'

const FEW = 3
const MANY = 10_000
const ROUNDS = 5
const EVENTS_OF_ROUND = 120
const EVERY_MS = 50

/**
 * The first mail of an event, and the mails of a large audience, with their receipts and without: one worker, in turn. Without are events
 * that no log reads, so that nobody waits for it.
 */
export async function benchRecord(): Promise<void> {
  const first: Times = { with: [], without: [] }
  await inScenario((scenario) => inTurn(scenario, first, timeFirstMails), { followers: FEW })
  console.log(
    `\nfirst mail of an event with ${FEW} followers, medians of ${ROUNDS} rounds of ${EVENTS_OF_ROUND} events each`,
  )
  for (const [receipts, rounds] of Object.entries(first)) {
    const [median, p99] = [0.5, 0.99].map((share) => middle(rounds.map((times) => at(times, share))))
    console.log(`  ${receipts} receipts: median ${median?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`)
  }
  const later = first.with.map((times, round) => at(times, 0.99) - at(first.without[round] ?? [], 0.99))
  console.log(`  p99 later with receipts, of the rounds in turn: ${middle(later).toFixed(1)} ms`)
  const whole: Times = { with: [], without: [] }
  await inScenario((scenario) => inTurn(scenario, whole, timeFanOut), { followers: MANY })
  const [ofWith, ofWithout] = [middle(whole.with.flat()), middle(whole.without.flat())]
  console.log(`mails of an event with ${MANY} followers, median of ${ROUNDS}`)
  console.log(
    `  with receipts ${ofWith.toFixed(1)} ms, without ${ofWithout.toFixed(1)} ms: ${(ofWithout / ofWith).toFixed(2)} times the rate`,
  )
}

/** Of each round, ms. */
type Times = Record<'with' | 'without', number[][]>

async function inTurn(
  scenario: Scenario,
  times: Times,
  measure: (scenario: Scenario, name: string) => Promise<number[]>,
): Promise<void> {
  const { pool } = scenario.database
  await scenario.startWorker({ systemClock: true })
  const setLog = (isOn: boolean) =>
    isOn
      ? pool.query(
          "insert into event_readers (name, registered_at) values ('record', now()) on conflict do nothing",
        )
      : pool.query("delete from event_readers where name = 'record'")
  // The first of a process takes longer.
  await measure(scenario, 'WARM')
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const receipts of ['with', 'without'] as const) {
      await setLog(receipts === 'with')
      times[receipts].push(await measure(scenario, `${receipts === 'with' ? 'W' : 'O'}${round}`))
      while ((await scenario.ask('select count(*) from event_work')) > 0) await pause(EVERY_MS)
    }
  }
}

async function timeFirstMails(scenario: Scenario, name: string): Promise<number[]> {
  const times: number[] = []
  for (let nth = 0; nth < EVENTS_OF_ROUND; nth += 1) {
    times.push(await timeMails(scenario, `${name}N${nth}`, 1))
    await pause(EVERY_MS)
  }
  return times
}

async function timeFanOut(scenario: Scenario, name: string): Promise<number[]> {
  return [await timeMails(scenario, `${name}L`, scenario.followers.length)]
}

/** From the commit to so many mails of an event, ms. */
async function timeMails({ database, followers, sink, trader }: Scenario, symbol: string, mails: number) {
  const before = sink.total()
  const { committedAt } = await publish(database.db, trader, { symbol }, new Date())
  await sink.until(() => sink.total() >= before + mails)
  const taken = performance.now() - committedAt
  await sink.until(() => sink.total() >= before + followers.length)
  return taken
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const middle = (times: readonly number[]) => at(times, 0.5)
