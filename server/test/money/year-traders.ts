import { expect } from 'vitest'
import type { Random } from '../../src/dev/seed/random.ts'
import { closeBy, type makeClosings } from '../closing.ts'
import { call, type Trader } from '../factories.ts'
import { runOperator } from '../run-operator.ts'
import { type BillingScenario, makePaidTrader } from './billing-scenario.ts'
import { reportAccount } from './event-reporter.ts'
import type { Life } from './expected-money.ts'
import { FACTORS, type Values } from './year-factors.ts'
import { trialDaysOf } from './year-schedule.ts'

/** Cents. */
type Prices = { month: number; year: number }
type Code = NonNullable<Life['code']>

/** A trader whose followers have something in common: the kind of their price, and whatever happens to the trader. */
export type YearTrader = Trader & {
  account: string
  kind: { price: 'kept' | 'rise' | 'lowered'; people: Values['people'] }
  trialDays: 7 | 14
  before: Prices
  after: Prices
  codes: Map<Values['code'], Code>
}

/** Names a trader whom these followers can share. */
export function traderKey(values: Values): string {
  const { people, price, trial } = kindOf(values)
  return [price, people, trial].join(' | ')
}

function kindOf(values: Values) {
  const price = values.price === 'kept' || values.price === 'lowered' ? values.price : ('rise' as const)
  const people = values.people === 'follower closes the account' ? ('as before' as const) : values.people
  return { price, people, trial: trialDaysOf(values) === 7 ? (7 as const) : (14 as const) }
}

/** A trader with prices, free days and six codes. */
export async function makeYearTrader(
  scenario: BillingScenario,
  random: Random,
  values: Values,
): Promise<YearTrader> {
  const { people, price, trial } = kindOf(values)
  const month = random.between(700, 3000)
  const changed =
    price === 'kept'
      ? month
      : price === 'rise'
        ? month + random.between(1, 500)
        : month - random.between(1, 170)
  const codes = new Map<Values['code'], Code>()
  for (const code of FACTORS.code) {
    if (code === 'none') continue
    const months = code.endsWith('first month') ? 1 : code.endsWith('three months') ? 3 : null
    const isPercent = code.startsWith('percent')
    const off = isPercent ? random.between(5, 60) : random.between(50, 300)
    codes.set(code, { percent: isPercent ? off : null, cents: isPercent ? 0 : off, months })
  }
  const trader: YearTrader = {
    ...(await makePaidTrader(scenario)),
    kind: { price, people },
    trialDays: trial,
    before: { month, year: 10 * month + random.between(-99, 99) },
    after: { month: changed, year: 10 * changed + random.between(-99, 99) },
    codes,
  }
  await namePrices(scenario, trader, trader.before)
  for (const [name, { cents, months, percent }] of codes) {
    const off = percent === null ? money(cents) : `${percent} %`
    const typed = { code: codeOf(name), off, months, maxUses: null, lastDay: null, currency: 'usd' }
    const { body, status } = await call(
      scenario.testApp,
      trader,
      'POST',
      '/v1/accounts/discount-codes',
      typed,
    )
    expect({ status, ...body }).toMatchObject({ status: 200 })
  }
  return trader
}

/** As it is typed. */
export const codeOf = (name: Values['code']) =>
  name
    .replaceAll(/[^a-z]/g, '')
    .toUpperCase()
    .slice(0, 20)

const money = (cents: number) => (cents / 100).toFixed(2)

/** Names the prices of a month and a year; the worker deals with it. */
export async function namePrices(
  scenario: BillingScenario,
  trader: YearTrader,
  prices: Prices,
): Promise<void> {
  const { trialDays } = trader
  const typed = { monthly: money(prices.month), yearly: money(prices.year), currency: 'usd', trialDays }
  const { body, status } = await call(scenario.testApp, trader, 'POST', '/v1/accounts/prices', typed)
  expect({ status, ...body }).toMatchObject({ status: 200 })
  await scenario.work()
}

/** The trader loses payouts, is suspended or leaves, as their kind is; nothing for the others. */
export async function strike(
  scenario: BillingScenario,
  trader: YearTrader,
  closings: ReturnType<typeof makeClosings>,
): Promise<void> {
  const { people } = trader.kind
  if (people.startsWith('payouts lost')) await turnPayouts(scenario, trader, 'restrict')
  if (people === 'trader suspended for ten days')
    await runOperator(scenario.testApp, 'suspend', `@${trader.username}`, 'Copied notes.')
  if (people === 'trader closes the account') {
    expect((await closeBy(scenario.testApp, trader)).status).toBe(200)
    await closings.run()
  }
  await scenario.work()
}

/** After ten days, for those who come back. */
export async function comeBack(scenario: BillingScenario, trader: YearTrader): Promise<void> {
  const { people } = trader.kind
  if (people === 'payouts lost for ten days') await turnPayouts(scenario, trader, 'restore')
  if (people === 'trader suspended for ten days')
    await runOperator(scenario.testApp, 'restore', `@${trader.username}`, 'A mistake.')
  await scenario.work()
}

async function turnPayouts(
  scenario: BillingScenario,
  trader: YearTrader,
  action: 'restrict' | 'restore',
): Promise<void> {
  await scenario.sandbox.control(action, { id: trader.account })
  await reportAccount(scenario, trader.account)
  const { body } = await call(scenario.testApp, trader, 'GET', '/v1/accounts/stripe/status')
  expect(body).toMatchObject({ onboardComplete: action === 'restore' })
}
