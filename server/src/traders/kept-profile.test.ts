import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database/database.ts'
import { statementsOf } from '../../test/database/query-log.ts'
import { call, close, makeTrader, open, type Trader } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { readAllFromPrimary } from '../platform/distribution/replica.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'
import { recountStatistics } from '../positions/record/recount-statistics.ts'

// Two API processes on one database; in the second something can happen between counts and positions of a profile.
const database = await openTestDatabase()
const quotes = await startQuoteServer()
const common = { database, quotes, settings: { limitsOn: false } }
let meanwhile: () => Promise<unknown> = async () => undefined
const here = await buildTestApp(common)
const there = await buildTestApp({
  ...common,
  clock: here.clock,
  others: (primary) => ({
    ...readAllFromPrimary(primary),
    async read(_seen, read) {
      await meanwhile()
      return read(primary)
    },
  }),
})
afterAll(async () => {
  await here.close()
  await there.close()
  await quotes.close()
  await database[Symbol.asyncDispose]()
})
beforeEach(() => {
  meanwhile = async () => undefined
  here.clock.set(TEST_NOW)
})

const viewer = await signIn(here)

type Profile = {
  closedPositions: number
  latestPositions: { symbol: string }[]
  record: { closed: number; best: number | null; median: number | null; plansKept: object | null }
}

async function profile(app: TestApp, { username }: Trader): Promise<Profile> {
  const { status, body } = await call(app, viewer, 'GET', `/v1/accounts/profile?username=${username}`)
  expect(status).toBe(200)
  return body as unknown as Profile
}

const symbols = ({ latestPositions }: Profile) => latestPositions.map(({ symbol }) => symbol)

/** A trader with open positions of the day before. */
async function traderWith(...names: string[]): Promise<Trader> {
  here.clock.set(TEST_NOW)
  const trader = await makeTrader(here)
  for (const name of names) await open(here, quotes, trader, name, 100)
  here.clock.set(new Date('2026-03-05T15:00:00Z'))
  return trader
}

test('after a close the next profile shows it in every process, and until then positions are read once', async () => {
  const trader = await traderWith('ONE', 'TWO')
  const readings = async (app: TestApp) => {
    const texts = await statementsOf(app, () => Promise.all([profile(app, trader), profile(app, trader)]))
    return texts.filter((text) => /from positions\b/.test(text)).length
  }
  for (const [nth, symbol] of ['ONE', 'TWO'].entries()) {
    await close(nth === 0 ? here : there, quotes, trader, symbol, 110 + 10 * nth)
    for (const app of [here, there]) {
      expect(await readings(app)).toBe(1)
      expect(await readings(app)).toBe(0)
      const { closedPositions, record } = await profile(app, trader)
      expect([closedPositions, record.closed, record.best]).toEqual([nth + 1, nth + 1, 10 + 10 * nth])
    }
  }
  expect(symbols(await profile(here, trader)).sort()).toEqual(['ONE', 'TWO'])
})

test('a split shows in the next profile, though as many positions are closed as before', async () => {
  const trader = await traderWith('SPLIT')
  await close(here, quotes, trader, 'SPLIT', 50)
  for (const app of [here, there]) expect((await profile(app, trader)).record.best).toBe(-50)
  await adjustForSplit(database.db, { symbol: 'SPLIT', ratio: '4:1', day: '2026-03-05' }, here.clock.now())
  for (const app of [here, there]) expect((await profile(app, trader)).record.best).toBe(100)
})

test('counts and positions agree when somebody closes between the two readings', async () => {
  const trader = await traderWith('FIRST', 'SECOND', 'THIRD')
  await close(here, quotes, trader, 'FIRST', 110)
  const closing = ['SECOND', 'THIRD']
  meanwhile = async () => {
    const symbol = closing.shift()
    if (symbol) await close(here, quotes, trader, symbol, 130)
  }
  const seen = await profile(there, trader)
  expect([seen.closedPositions, seen.record.closed, symbols(seen).length]).toEqual([3, 3, 3])
  expect(seen.record.median).toBe(30)
})

test('a trader who never stops closing has a profile too', async () => {
  const trader = await traderWith('NR0', 'NR1', 'NR2', 'NR3', 'NR4', 'NR5')
  let nth = 0
  meanwhile = async () => {
    if (nth < 6) await close(here, quotes, trader, `NR${nth}`, 110)
    nth += 1
  }
  expect((await profile(there, trader)).record.best).toBe(10)
  expect(nth, 'it is not read for as long as they close').toBeLessThan(6)
  meanwhile = async () => undefined
  const { closedPositions, latestPositions } = await profile(there, trader)
  expect(latestPositions.length).toBe(closedPositions)
})

test('a plan counts as missed once its time is over, though nothing was published since', async () => {
  const trader = await traderWith('ONE', 'TWO', 'OPEN')
  await close(here, quotes, trader, 'ONE', 110)
  await close(here, quotes, trader, 'TWO', 110)
  expect((await profile(here, trader)).record.plansKept).toBeNull()
  here.clock.set(new Date('2026-03-26T15:00:00Z'))
  expect((await profile(here, trader)).record.plansKept).toEqual({ count: 2, of: 3 })
})

test('counts that an operator corrects move the middle at once', async () => {
  const trader = await traderWith('LOW', 'HIGH', 'HIGHER')
  for (const [symbol, price] of [
    ['LOW', 90],
    ['HIGH', 110],
    ['HIGHER', 120],
  ] as const)
    await close(here, quotes, trader, symbol, price)
  await database.pool.query('update trader_stats set closed_count = 1 where trader_id = $1', [trader.userId])
  expect((await profile(here, trader)).record.median).toBe(-10)
  expect(await recountStatistics(database.db)).toBe(1)
  expect((await profile(here, trader)).record.median).toBe(10)
})

test('the name of a company shows in a profile that was kept without it', async () => {
  quotes.setSearch((response) => void response.writeHead(500).end())
  const trader = await traderWith('LATER')
  await close(here, quotes, trader, 'LATER', 110)
  expect((await profile(here, trader)).latestPositions).toMatchObject([{ symbol: 'LATER' }])
  const result = [{ symbol: 'LATER', description: 'Later Inc' }]
  quotes.setSearch((response) => void response.end(JSON.stringify({ count: 1, result })))
  await call(here, trader, 'POST', '/v1/positions/preview', { symbol: 'LATER' })
  expect((await profile(here, trader)).latestPositions).toMatchObject([
    { symbol: 'LATER', companyName: 'Later Inc' },
  ])
})
