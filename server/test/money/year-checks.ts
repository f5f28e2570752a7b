import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { call } from '../factories.ts'
import type { BillingScenario } from './billing-scenario.ts'
import type { ChargeBook, openBooks } from './charge-books.ts'
import { expectedMoney, type Money } from './expected-money.ts'
import { followEveryCent } from './follow-every-cent.ts'
import type { Follower } from './year-follower.ts'
import { instantOf, TRADER_STEP } from './year-schedule.ts'
import type { YearTrader } from './year-traders.ts'

export type Year = {
  scenario: BillingScenario
  traders: YearTrader[]
  followers: Follower[]
  books: ReturnType<typeof openBooks>
}

type Sums = Pick<Money, 'charged' | 'refunded' | 'withdrawn' | 'trader'>

/**
 * Holds all sums of this instant against each other: those of the payments service, the product's, and those that the acts lead to.
 * @returns figures of the whole
 * @throws where a cent is missing or too many, for one subscription, one trader or all
 */
export async function checkYear(year: Year) {
  const { books, followers, scenario, traders } = year
  const { clock, pool } = scenario.testApp
  const figures = await followEveryCent({ ...scenario, pool }, traders)
  const byCustomer = Map.groupBy((await books.read()).values(), ({ customer }) => customer)
  const [written, owed] = [await readWritten(year), await readOwed(year)]
  const owedToTraders = await readOwedToTraders(year)
  const traderSums = new Map<string, number>()
  const wrong: object[] = []
  for (const follower of followers) {
    const { life, person, trader } = follower
    const expected = expectedMoney(life, clock.now(), owedToTraders.has(person.userId))
    const there = sumsOf(byCustomer.get(person.customer) ?? [])
    const here = { owed: owed.get(person.userId) ?? 0, written: written.get(person.userId) }
    const difference = compare(follower, expected, there, here)
    if (difference) wrong.push({ ...difference, ...follower })
    traderSums.set(trader.userId, (traderSums.get(trader.userId) ?? 0) + there.trader)
    if (!life.failing?.forGood) await checkList(scenario, follower, expected.price)
  }
  assert.deepEqual(wrong, [], `another sum than was to be expected at ${clock.now().toISOString()}`)
  for (const trader of traders) await checkDesk(scenario, trader, traderSums.get(trader.userId) ?? 0)
  await checkTrials(scenario)
  return figures
}

type Written = { paid: number; refunded: number; trader: number }

/** @returns what is to be expected of a follower and what is there instead; null where both are the same */
function compare(
  follower: Follower,
  { charged, refunded, trader, withdrawn }: Money,
  there: Sums,
  here: { owed: number; written: Written | undefined },
): object | null {
  const { paid, refunded: returned, trader: passedOn } = here.written ?? { paid: 0, refunded: 0, trader: 0 }
  const found = { ...there, refunded: there.refunded + here.owed, written: { paid, returned, passedOn } }
  const written = { paid: sum(charged.map(({ cents }) => cents)), returned: there.refunded, passedOn: trader }
  const wanted = { charged, refunded, withdrawn, trader, written }
  const isMore = there.charged.some(({ cents }) => cents > mostAgreed(follower))
  return isMore || !isDeepStrictEqual(found, wanted) ? { found, wanted } : null
}

function sumsOf(books: ChargeBook[]): Sums {
  const total = (part: 'refunded' | 'withdrawn' | 'trader') => sum(books.map((book) => book[part]))
  return {
    charged: books.map(({ at, charged }) => ({ at, cents: charged })),
    ...{ refunded: total('refunded'), withdrawn: total('withdrawn'), trader: total('trader') },
  }
}

/** The price of the checkout, or the one that was agreed to later. */
function mostAgreed({ life: { cents, change, double } }: Follower): number {
  const isAgreed = change !== null && change.agreedAt !== null && change.takenBackAt === null
  return Math.max(cents, isAgreed ? change.cents : 0, double?.cents ?? 0)
}

/** The invoices of the product, by follower. */
async function readWritten({ scenario }: Year) {
  const { rows } = await scenario.testApp.pool.query<Written & { follower: string }>(
    `select subscriber_id as follower, sum(amount_paid_cents)::int as paid, sum(refunded_cents)::int as refunded,
       sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents)::int as trader
     from invoices join subscriptions on subscriptions.trader_id = invoices.trader_id and subscriptions.id = subscription_id
     group by 1`,
  )
  return new Map(rows.map((row) => [row.follower, row]))
}

/** Refunds that are decided and not paid yet (`operator -- debts`), by follower. */
async function readOwed({ scenario }: Year): Promise<Map<string, number>> {
  const { rows } = await scenario.testApp.pool.query<{ follower: string; cents: number }>(
    `select subscriber_id as follower, sum(amount_cents)::int as cents from debts
     where state = 'open' and kind = 'refund' group by 1`,
  )
  return new Map(rows.map(({ cents, follower }) => [follower, cents]))
}

/** Followers whose trader is owed what a won dispute gives back (`operator -- debts`): only one who cannot be paid any more is. */
async function readOwedToTraders({ followers, scenario }: Year): Promise<Set<string>> {
  const { rows } = await scenario.testApp.pool.query<{ follower: string }>(
    `select subscriber_id as follower from debts where state = 'open' and kind = 'transfer'`,
  )
  const owed = new Set(rows.map(({ follower }) => follower))
  for (const { person, trader } of followers)
    if (owed.has(person.userId))
      expect(trader.kind.people).toMatch(/^(payouts lost for thirty days|trader closes the account)$/)
  return owed
}

/** Account > Subscriptions names the price of the next renewal. */
async function checkList(scenario: BillingScenario, follower: Follower, price: number | null): Promise<void> {
  const { life, person, plan, trader } = follower
  const now = scenario.testApp.clock.now()
  if (life.begins > now || (plan.schedule.closes !== null && instantOf(plan.schedule.closes) <= now)) return
  const { body, status } = await call(scenario.testApp, person, 'GET', '/v1/subscriptions')
  expect(status).toBe(200)
  const all = body.subscriptions as { status: string; priceCents: number; traderId: string }[]
  const live = all.filter((one) => one.status !== 'canceled').map(({ priceCents }) => priceCents)
  expect({ trader: trader.username, plan, live }).toEqual({
    ...{ trader: trader.username, plan },
    live: price === null ? [] : [price],
  })
}

/** The desk names all that came in, while the trader can look. */
async function checkDesk(scenario: BillingScenario, trader: YearTrader, cents: number): Promise<void> {
  const now = scenario.testApp.clock.now()
  const { people } = trader.kind
  if (now >= instantOf(TRADER_STEP) && people.startsWith('trader')) return
  const { body, status } = await call(scenario.testApp, trader, 'GET', '/v1/accounts/desk')
  expect(status).toBe(200)
  const income = body.income as { allCents: number }[]
  expect({ trader: trader.username, income: income.map(({ allCents }) => allCents) }).toEqual({
    trader: trader.username,
    income: income.length === 0 && cents === 0 ? [] : [cents],
  })
}

/** Nobody has had two. */
async function checkTrials({ testApp }: BillingScenario): Promise<void> {
  const { rows } = await testApp.pool.query(
    'select user_id from trials where granted group by 1 having count(*) > 1',
  )
  expect(rows).toEqual([])
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
