/**
 * The product's processes killed (-9) while money flows: after every call to Stripe of every step, when Stripe has done what it was asked
 * and before the process receives the answer; then at random, while people buy from traders. A new process takes
 * the place of each, on the same database and port, and everything converges within a minute of real time.
 * `MONEY_KILLS` changes the size. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { print } from './attack-scenario.ts'
import { checkMarket } from './money-checks.ts'
import { addTraders, buyTheRest, keepBuying, letLeave, startMoneyLoad } from './money-load.ts'
import {
  CONVERGES_MS,
  inMoneyScenario,
  LONGEST_RUN_MS,
  type MoneyScenario,
  type Mortal,
  until,
} from './money-scenario.ts'
import { STEPS, type Step } from './money-steps.ts'

const KILLS = Number(process.env.MONEY_KILLS ?? 100)
const PEOPLE = 40
const TRADERS = 5
const LIFE_MS = { shortest: 100, longest: 4000 }
/** Much of the time goes by in waiting for the next try: so many products are waited for at a time. */
const LANES = 3

export const runs: Record<string, () => Promise<void>> = {
  'R14-money-kills-each-call': killAtEveryCall,
  'R14-money-kills-random': () => inMoneyScenario(killAtRandom),
}

type Course = { kills: number; converged: number[] }

async function killAtEveryCall(): Promise<void> {
  const course: Course = { kills: 0, converged: [] }
  const began = performance.now()
  const left = [...STEPS]
  const lane = async (scenario: MoneyScenario) => {
    for (let step = left.shift(); step; step = left.shift()) await dieEverywhere(scenario, step, course)
  }
  await Promise.all(Array.from({ length: LANES }, () => inMoneyScenario(lane)))
  print({
    steps: STEPS.length,
    kills: course.kills,
    minutes: minutesSince(began),
    ...medianAndLongest('ready to converged', course.converged),
  })
}

/** Kills after a step's first call, after its second, and so on, each time with somebody new, until it lives. */
async function dieEverywhere(scenario: MoneyScenario, step: Step<unknown>, course: Course): Promise<void> {
  const victim = scenario[step.victim]
  for (let at = 0; ; at += 1) {
    const somebody = await step.begin(scenario)
    await scenario.quiet()
    const struck = victim.loseAnswersFrom(at, step.counts).then(() => true)
    const working = step.work(scenario, somebody)
    const died = await Promise.race([struck, working.then(() => scenario.quiet()).then(() => false)])
    if (died) await victim.kill()
    else victim.receiveAnswers()
    const ready = performance.now()
    const isOver = async () => (await step.isDone(scenario, somebody)) && (await scenario.left()).length === 0
    await until(
      isOver,
      CONVERGES_MS,
      async () =>
        `${step.name}: killed at call ${at + 1}, it has not converged; left: ${await scenario.left()}`,
    )
    await working
    await step.check(scenario, somebody)
    if (!died) {
      assert.ok(at >= step.calls, `${step.name}: ${at} calls only`)
      console.log(`   ${step.name}: killed after each of ${at} calls`)
      return
    }
    course.kills += 1
    course.converged.push(performance.now() - ready)
  }
}

async function killAtRandom(scenario: MoneyScenario): Promise<void> {
  const began = performance.now()
  const load = await startMoneyLoad(scenario, { people: PEOPLE })
  const left = { kills: KILLS }
  const killing = Promise.all([keepKilling(scenario.api, left), keepKilling(scenario.worker, left)])
  await addTraders(load, TRADERS)
  const buying = load.people.map((person) => keepBuying(load, person))
  const leaving = until(
    async () => left.kills < KILLS / 2,
    LONGEST_RUN_MS,
    () => 'half of the kills were not made',
  ).then(() => letLeave(load))
  await Promise.all([killing, leaving]).finally(() => {
    load.over = true
  })
  await Promise.all(buying)
  const over = performance.now()
  await scenario.quiet()
  const quiet = performance.now()
  await buyTheRest(load)
  await scenario.quiet()
  const starts = [...scenario.api.starts, ...scenario.worker.starts]
  print({
    kills: starts.length,
    minutes: minutesSince(began),
    'requests without an answer': load.unanswered,
    'requests refused': list(load.refused),
    'subscriptions bought': load.bought,
    fates: list(load.fates),
    ...medianAndLongest('kill to ready', starts),
    ...medianAndLongest('paid to followed, while killed', load.waits),
    'last kill to nothing left to do, ms': Math.round(quiet - over),
    ...(await checkMarket(load)),
  })
}

/** In half of its lives a process dies between an answer of Stripe's and its hearing of it, in the others anywhere. */
async function keepKilling(victim: Mortal, left: { kills: number }): Promise<void> {
  while (left.kills > 0) {
    left.kills -= 1
    const life = pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    await (Math.random() < 0.5
      ? life
      : Promise.race([victim.loseAnswersFrom(0, 'changes'), pause(LIFE_MS.longest)]))
    await victim.kill()
  }
}

function medianAndLongest(what: string, times: number[]): Record<string, number> {
  const sorted = times.toSorted((one, other) => one - other)
  return {
    [`${what}, median, ms`]: Math.round(sorted[sorted.length >> 1] ?? Number.NaN),
    [`${what}, longest, ms`]: Math.round(sorted.at(-1) ?? Number.NaN),
  }
}

const list = (counts: Map<string, number>) =>
  [...counts].map(([what, count]) => `${what} ${count}`).join(', ')

const minutesSince = (began: number) => Math.round((performance.now() - began) / 6000) / 10
