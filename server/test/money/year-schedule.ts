import type { Random } from '../../src/dev/seed/random.ts'
import { TEST_NOW } from '../build-test-app.ts'
import { renewalsOf } from './expected-money.ts'
import type { Values } from './year-factors.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Steps of the year: each is an instant at which people act, and at which events arrive and the daily sweeps run. */
export const STEPS = 216
/** Traders name another price in this step. */
export const PRICE_STEP = 45
/** Traders lose payouts, are suspended, or close their account in this step. */
export const TRADER_STEP = 120
/** Traders who come back do so in this one, ten days later. */
export const BACK_STEP = 125

/** Every second day at another hour; two steps are 26 to 70 hours apart. */
export function instantOf(step: number): Date {
  return new Date(
    TEST_NOW.getTime() + step * 2 * DAY + ((step * 37) % 23) * HOUR + ((step * 17) % 60) * 60_000,
  )
}

const stepBehind = (at: number) => Math.ceil((at - TEST_NOW.getTime()) / (2 * DAY))

/** The first step that is so many milliseconds after an instant. */
export function firstStepFrom(at: number): number {
  for (let step = Math.max(0, stepBehind(at) - 2); ; step += 1)
    if (instantOf(step).getTime() >= at) return step
}

/** The daily look ends subscriptions here, when payouts have been lost for thirty days. */
export const LOST_STEP = firstStepFrom(instantOf(TRADER_STEP).getTime() + 30 * DAY)

/** The steps of one subscription's acts; null for those that do not occur. */
export type Schedule = {
  /** A trial is asked for, and refused. */
  refused: number | null
  begins: number
  endsTrial: number | null
  agrees: number | null
  takesBack: number | null
  plansEnd: number | null
  keeps: number | null
  /** A refund, a dispute, a second payment, or what lets the next renewal fail. */
  pays: number | null
  /** The bank decides. */
  decided: number | null
  closes: number | null
}

const TRIES = 60

/** Draws the days of what happens to a subscription. @returns null where these values do not fit together */
export function scheduleOf(random: Random, values: Values): Schedule | null {
  for (let nth = 0; nth < TRIES; nth += 1) {
    const schedule = draw(random, values)
    if (schedule && fits(values, schedule)) return schedule
  }
  return null
}

export function trialDaysOf({ trial }: Pick<Values, 'trial'>): 0 | 7 | 14 {
  if (trial === 'none' || trial === 'refused') return 0
  return trial === '7 days' ? 7 : 14
}

/** Whether it is over with its trial. */
const isShort = ({ trial }: Values) => trial === 'ended in it' || trial === 'first payment fails'
const isTraders = ({ people }: Values) => people !== 'as before' && people !== 'follower closes the account'
const endsByPeople = ({ people }: Values) =>
  people === 'payouts lost for thirty days' || people.endsWith('closes the account')

function draw(random: Random, values: Values): Schedule | null {
  const { end, payment, people, price, trial } = values
  if (isShort(values) && price !== 'kept' && isTraders(values)) return null
  const refused = trial === 'refused' ? random.between(1, 10) : null
  const begins = refused === null ? beginOf(random, values) : refused + 4
  const trialEnd = instantOf(begins).getTime() + trialDaysOf(values) * DAY
  const closes =
    people === 'follower closes the account' ? closingOf(random, values, { begins, trialEnd }) : null
  const pays = paymentOf(random, values, { begins, closes })
  // In a trial whose end is planned and taken back the product has heard of both by then.
  const agrees = PRICE_STEP + (isShort(values) && end !== 'taken back' ? 1 : isShort(values) ? 4 : 3)
  const schedule: Schedule = {
    ...{ refused, begins, closes, pays },
    endsTrial: trial === 'ended in it' ? trialEndOf(random, values, begins) : null,
    agrees: price === 'rise agreed' || price === 'rise taken back' ? agrees : null,
    takesBack: price === 'rise taken back' ? agrees + (isShort(values) ? 1 : 5) : null,
    plansEnd: null,
    keeps: null,
    decided: pays !== null && payment.startsWith('dispute') ? pays + 1 : null,
  }
  if (end === 'none') return schedule
  if (end === 'with its period') return { ...schedule, plansEnd: endOf(random, values, schedule) }
  const plansEnd = isShort(values) ? begins + 1 : random.between(80, 100)
  return { ...schedule, plansEnd, keeps: plansEnd + 1 }
}

function beginOf(random: Random, values: Values): number {
  const { payment, people, price, trial } = values
  if (isShort(values) && price !== 'kept') return PRICE_STEP - 1
  if (!isShort(values) || !isTraders(values)) return random.between(1, 15)
  // A second payment comes in between.
  if (people !== 'trader closes the account') return TRADER_STEP - (payment === 'paid twice' ? 2 : 1)
  return trial === 'ended in it' ? TRADER_STEP - 3 : TRADER_STEP - random.between(6, 9)
}

function closingOf(random: Random, values: Values, at: { begins: number; trialEnd: number }): number {
  if (values.trial === 'ended in it') return at.begins + 4
  return values.trial === 'first payment fails'
    ? firstStepFrom(at.trialEnd + 2 * HOUR)
    : random.between(126, 136)
}

function trialEndOf(random: Random, { people, price }: Values, begins: number): number {
  if (people === 'trader closes the account') return TRADER_STEP - 1
  if (people === 'follower closes the account') return begins + 2
  return price !== 'kept' || people !== 'as before' ? begins + 4 : begins + random.between(1, 4)
}

function paymentOf(
  random: Random,
  values: Values,
  at: { begins: number; closes: number | null },
): number | null {
  const { end, interval, payment, people, price } = values
  const [early, late] = [at.begins + random.between(12, 34), random.between(150, 165)]
  const isAlone = price === 'kept' && end === 'none' && people === 'as before'
  switch (payment) {
    case 'as asked':
      return null
    case 'refunded in part':
    case 'refunded whole':
      return endsByPeople(values) || random.next() < 0.5 ? early : late
    case 'dispute won':
    case 'dispute lost':
      return isAlone && random.next() < 0.5 ? early : late
    case 'paid twice':
      return isShort(values) ? at.begins + 1 : at.begins + random.between(8, 34)
    case 'renewal recovers':
      return interval === 'year' ? 165 : at.begins + random.between(8, 30)
    case 'renewal fails':
      if (interval === 'year') return 165
      if (people === 'trader closes the account') return TRADER_STEP - 8
      return at.closes === null ? random.between(150, 160) : at.closes - 8
  }
}

function endOf(random: Random, values: Values, schedule: Schedule): number {
  const { interval, payment, people } = values
  const failed = renewalBehind(values, schedule, schedule.pays ?? 0)
  if (payment === 'renewal fails') return firstStepFrom(failed + 3 * DAY)
  if (payment === 'renewal recovers' && interval === 'year') return firstStepFrom(failed + 5 * DAY)
  if (people === 'payouts lost for thirty days') return LOST_STEP - 1
  if (people === 'trader closes the account') return TRADER_STEP - 1
  return schedule.closes === null ? random.between(140, 149) : schedule.closes - 1
}

/** @returns milliseconds since 1970 */
function renewalBehind(values: Values, { begins }: Schedule, step: number): number {
  const after = instantOf(step).getTime()
  return renewals(values, begins).find((at) => at > after) ?? Number.POSITIVE_INFINITY
}

function renewals(values: Values, begins: number): number[] {
  return renewalsOf(
    { interval: values.interval, begins: instantOf(begins), trialDays: trialDaysOf(values) },
    16,
  )
}

/** Whether all of it can happen, and no act comes so near to a renewal that its amount would depend on when an event arrives. */
function fits(values: Values, schedule: Schedule): boolean {
  const { end, interval, payment, people, price, trial } = values
  const { agrees, begins, closes, endsTrial, keeps, pays, plansEnd, takesBack } = schedule
  // Nobody agrees to the price of what they have ended.
  if (endsTrial !== null && Math.max(agrees ?? 0, takesBack ?? 0) >= endsTrial) return false
  const at = (step: number) => instantOf(step).getTime()
  const renewed = renewals(values, begins)
  const isQuiet = (from: number, to: number) => !renewed.some((one) => one >= from && one <= to)
  const trialEnd = at(begins) + trialDaysOf(values) * DAY
  if (trial === 'first payment fails' && people === 'trader closes the account')
    if (!(at(TRADER_STEP) > trialEnd + 2 * HOUR && at(TRADER_STEP) < trialEnd + 2.5 * DAY)) return false
  if (trial === 'first payment fails' && people.endsWith('ten days') && at(BACK_STEP) > trialEnd - HOUR)
    return false
  if (trial === 'first payment fails' && closes !== null && at(closes) >= trialEnd + 3 * DAY) return false
  if (pays !== null && payment.startsWith('dispute') && !isQuiet(at(pays) - DAY, at(pays) + 9 * DAY))
    return false
  if (pays !== null && payment.startsWith('renewal')) {
    if (interval === 'year' && endsByPeople(values)) return false
    const failed = renewalBehind(values, schedule, pays)
    const ended =
      people === 'trader closes the account' ? at(TRADER_STEP) : closes === null ? null : at(closes)
    if (
      payment === 'renewal fails' &&
      ended !== null &&
      !(failed > ended - 9 * DAY && failed < ended - 3 * DAY)
    )
      return false
    const isInTalks = failed > at(PRICE_STEP) - 12 * DAY && failed < at(PRICE_STEP + 9)
    if (price.startsWith('rise') && isInTalks) return false
    if (end === 'taken back' && failed > at(78) && failed < at(102)) return false
  }
  if (plansEnd === null || isShort(values)) return true
  if (keeps !== null) return isQuiet(at(plansEnd) - DAY, at(keeps) + 8 * DAY)
  if (payment === 'renewal fails') return true
  if (people === 'payouts lost for thirty days') return isQuiet(at(plansEnd), at(LOST_STEP))
  if (people === 'trader closes the account') return isQuiet(at(plansEnd), at(TRADER_STEP))
  return closes === null || isQuiet(at(plansEnd), at(closes))
}
