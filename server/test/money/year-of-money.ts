import { expect } from 'vitest'
import {
  lookAtAgreements,
  lookAtLostPayouts,
  lookAtOverdue,
} from '../../src/billing/subscriptions/subscriptions.jobs.ts'
import { catchUpEvents, compareWithStripe } from '../../src/billing/webhooks/webhooks.jobs.ts'
import { makeRandom, type Random } from '../../src/dev/seed/random.ts'
import { makeClosings } from '../closing.ts'
import type { BillingScenario } from './billing-scenario.ts'
import { openBooks } from './charge-books.ts'
import { makeReporter, readNewEvents, shuffle } from './event-reporter.ts'
import { checkYear, type Year } from './year-checks.ts'
import { ACTS, type Follower, forgetCard, isKnown, makeFollower } from './year-follower.ts'
import { drawPlans, type Plan } from './year-plan.ts'
import { BACK_STEP, instantOf, PRICE_STEP, type Schedule, STEPS, TRADER_STEP } from './year-schedule.ts'
import { comeBack, makeYearTrader, namePrices, strike, traderKey, type YearTrader } from './year-traders.ts'

/** Steps of two days each. */
const STEPS_A_MONTH = 15
const SWEEPS = [compareWithStripe, lookAtOverdue, lookAtAgreements, lookAtLostPayouts]
const ACT_NAMES = Object.keys(ACTS) as (keyof Schedule)[]

/** The first trial of the card that others are refused with. */
const KNOWN: Plan = {
  values: {
    interval: 'month',
    trial: '14 days',
    code: 'none',
    price: 'kept',
    end: 'none',
    payment: 'as asked',
    people: 'as before',
  },
  schedule: {
    ...{ refused: null, begins: 0, endsTrial: null, agrees: null, takesBack: null },
    ...{ plansEnd: null, keeps: null, pays: null, decided: null, closes: null },
  },
}

/**
 * Lets so many people follow traders for a year in all ways that go together, with every event of Stripe's sent twice, out of order, late or
 * never, and follows every cent of each of them after each month.
 * @param scenario without webhooks: they are sent here
 * @returns figures and the plans that were played
 * @throws when a cent is missing or too many
 */
export async function playYear(scenario: BillingScenario, size: { subscriptions: number; seed: number }) {
  const random = makeRandom(size.seed)
  const began = performance.now()
  const plans = [KNOWN, ...drawPlans(random, size.subscriptions - 1)]
  const traders = new Map<string, YearTrader>()
  const followers: Follower[] = []
  for (const plan of plans) {
    const key = traderKey(plan.values)
    const trader = traders.get(key) ?? (await makeYearTrader(scenario, random, plan.values))
    traders.set(key, trader)
    followers.push(await makeFollower(scenario, plan, trader))
  }
  const year = { scenario, traders: [...traders.values()], followers, books: openBooks(scenario.stripe) }
  const made = performance.now()
  const figures = await playSteps(year, random)
  const seconds = (from: number, to: number) => Math.round((to - from) / 1000)
  return {
    plans,
    figures: {
      subscriptions: followers.length,
      traders: traders.size,
      ...figures,
      'people made, s': seconds(began, made),
      'the year, s': seconds(made, performance.now()),
    },
  }
}

async function playSteps(year: Year, random: Random) {
  const course = startCourse(year, random)
  for (let step = 0; ; step += 1) {
    await course.pass(instantOf(step))
    await actAsTraders(year, course, step)
    for (const follower of year.followers)
      for (const name of ACT_NAMES)
        if (follower.plan.schedule[name] === step) await act(year, course, follower, name)
    await course.report(step)
    if (step % STEPS_A_MONTH !== 0 && step < STEPS) continue
    await course.settle()
    const figures = await checkYear(year)
    if (step >= STEPS) return figures
  }
}

type Course = ReturnType<typeof startCourse>

/** The clock, the events of Stripe's on their way to the product, and the product's own work. */
function startCourse({ scenario }: Year, random: Random) {
  const { sandbox, testApp } = scenario
  const reporter = makeReporter(scenario, random, { from: 2, to: 2 })
  const closings = makeClosings(scenario)
  /** Everybody stays signed in. */
  const pass = async (to: Date) => {
    testApp.clock.set(to)
    await testApp.pool.query('update sessions set created_at = $1, refreshed_at = $1', [to])
    await sandbox.control('advance', { seconds: 0 })
  }
  /** Sends all new events at once, each twice and in any order. @returns how many there were */
  const reportNow = async () => {
    const events = await readNewEvents(scenario)
    await reporter.reportAll(shuffle(random, [...events, ...events]))
    return events.length
  }
  return {
    pass,
    reportNow,
    closings,
    catchUp: () => reporter.finish(),
    /** Some of the new events arrive, some later, some never; then the sweeps run. */
    async report(step: number) {
      await closings.run()
      await scenario.work()
      await reporter.reportSome(await readNewEvents(scenario), { acts: false })
      if (step % 2 === 1) await scenario.runScheduled(catchUpEvents)
      for (const sweep of SWEEPS) await scenario.runScheduled(sweep)
      await scenario.work()
    },
    /** Everything arrives and is done. */
    async settle() {
      await reporter.finish()
      await pass(new Date(testApp.clock.now().getTime() + 120_000))
      do await scenario.work()
      while ((await reportNow()) > 0)
    },
  }
}

async function actAsTraders({ scenario, traders }: Year, { closings }: Course, step: number): Promise<void> {
  for (const trader of traders) {
    if (step === PRICE_STEP && trader.kind.price !== 'kept') await namePrices(scenario, trader, trader.after)
    if (step === TRADER_STEP) await strike(scenario, trader, closings)
    if (step === BACK_STEP) await comeBack(scenario, trader)
  }
}

async function act(
  { scenario }: Year,
  course: Course,
  follower: Follower,
  name: keyof Schedule,
): Promise<void> {
  // The bank decides once the product knows of the dispute.
  if (name === 'decided') await course.catchUp()
  await ACTS[name](scenario, follower)
  const asksForTrial = name === 'refused' || (name === 'begins' && follower.life.trialDays > 0)
  if (!asksForTrial) return
  await course.reportNow()
  if (!isKnown(follower.plan)) await checkVerdict(scenario, follower, name === 'begins')
}

/** Whether free days were granted or refused, as they had to be. */
async function checkVerdict(scenario: BillingScenario, follower: Follower, granted: boolean): Promise<void> {
  const { rows } = await scenario.testApp.pool.query<{ granted: boolean }>(
    'select granted from trials where user_id = $1',
    [follower.person.userId],
  )
  expect({ plan: follower.plan, rows }).toEqual({ plan: follower.plan, rows: [{ granted }] })
  await forgetCard(scenario, follower)
}
