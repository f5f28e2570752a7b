import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, close, makeTrader, open, subscribe, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { takeFromPool, type Used } from './share-calls.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({
  quotes,
  settings: { limitsOn: false, quotesPerMinute: 60, marketOverride: 'hours' },
})
const { clock, pool } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(async () => {
  await pool.query('delete from provider_calls')
  quotes.asked.splice(0)
  clock.set(TEST_NOW)
})

const NOTHING: Used = {
  closes: 0,
  settlements: 0,
  followed: 0,
  others: 0,
  othersLately: 0,
  ownCloses: 0,
  ownFollowed: 0,
  ownOthers: 0,
}
const sixty = (tradersFollowed: number, isScarce = true) => ({ perMinute: 60, tradersFollowed, isScarce })

test('closes have a third of the minute, whatever else was asked', () => {
  const used = { ...NOTHING, followed: 40, others: 0 }
  expect(takeFromPool('close', { ...used, closes: 19, ownCloses: 4 }, sixty(1))).toBe('closes')
  expect(takeFromPool('close', { ...used, closes: 20 }, sixty(1))).toBeNull()
  expect(takeFromPool('settlement', { ...used, closes: 9, settlements: 9 }, sixty(1))).toBe('closes')
  expect(takeFromPool('settlement', { ...used, closes: 10, settlements: 10 }, sixty(1))).toBeNull()
})

test('traders with followers have all of the rest', () => {
  expect(takeFromPool('opening of a followed trader', { ...NOTHING, followed: 39 }, sixty(20))).toBe(
    'followed',
  )
  expect(takeFromPool('opening of a followed trader', { ...NOTHING, followed: 40 }, sixty(20))).toBeNull()
  expect(
    takeFromPool('opening of a followed trader', { ...NOTHING, followed: 30, others: 10 }, sixty(20)),
  ).toBeNull()
})

test('everybody else has what those do not need: two calls for each of them, up to three quarters of the rest', () => {
  const others = (used: number, followed: number) =>
    takeFromPool('opening', { ...NOTHING, others: used }, sixty(followed))
  expect([others(39, 0), others(40, 0)]).toEqual(['others', null])
  expect([others(29, 5), others(30, 5)]).toEqual(['others', null])
  expect([others(9, 20), others(10, 20)]).toEqual(['others', null])
  expect([others(9, 1000), others(10, 1000)]).toEqual(['others', null])
  // A quarter in any fifteen seconds, where anybody is followed.
  expect(takeFromPool('opening', { ...NOTHING, others: 10, othersLately: 10 }, sixty(0))).toBe('others')
  expect(takeFromPool('opening', { ...NOTHING, others: 10, othersLately: 10 }, sixty(1))).toBeNull()
  // A rush of the others has begun.
  expect(takeFromPool('opening', { ...NOTHING, followed: 20 }, sixty(5))).toBeNull()
})

test('one person has a quarter of a part at most once one was used up, and no limit before', () => {
  const own = {
    ...NOTHING,
    closes: 5,
    ownCloses: 5,
    followed: 10,
    ownFollowed: 10,
    others: 10,
    ownOthers: 10,
  }
  const wanted = ['close', 'opening of a followed trader', 'opening'] as const
  expect(wanted.map((each) => takeFromPool(each, own, sixty(0)))).toEqual([null, null, null])
  expect(wanted.map((each) => takeFromPool(each, own, sixty(0, false)))).toEqual([
    'closes',
    'followed',
    'others',
  ])
})

test('marks leave a fifth of that free, searches half', () => {
  expect(takeFromPool('directory', { ...NOTHING, others: 19 }, sixty(0))).toBe('others')
  expect(takeFromPool('directory', { ...NOTHING, others: 20 }, sixty(0))).toBeNull()
  expect(takeFromPool('mark', { ...NOTHING, others: 31 }, sixty(0))).toBe('others')
  expect(takeFromPool('mark', { ...NOTHING, others: 32 }, sixty(0))).toBeNull()
  expect(takeFromPool('opening', { ...NOTHING, others: 32 }, sixty(0))).toBe('others')
})

test('somebody who checks one price after the other is not held back by those who search', async () => {
  const { userId } = await makeTrader(testApp)
  clock.set(new Date(TEST_NOW.getTime() + 3_600_000))
  let searches = 0
  while (await testApp.calls.take('directory')) searches += 1
  expect(searches).toBe(20)
  const checks: boolean[] = []
  for (let check = 0; check < 12; check += 1) {
    clock.advance(1000)
    await testApp.calls.take('directory')
    checks.push(await testApp.calls.takeFor(userId, 'AAPL'))
  }
  expect(checks).toEqual(Array(12).fill(true))
})

test('those who ask while others are given calls take theirs in one transaction, each counted', async () => {
  clock.set(new Date(TEST_NOW.getTime() + 7_200_000))
  const given = await Promise.all(Array.from({ length: 50 }, () => testApp.calls.take('directory')))
  expect(given).toEqual([...Array(20).fill(true), ...Array(30).fill(false)])
  const { rows } = await pool.query(
    'select count(*)::int as calls, count(distinct xmin::text)::int as transactions from provider_calls',
  )
  // The first one asked alone.
  expect(rows).toEqual([{ calls: 20, transactions: 2 }])
})

test('of those who share a transaction each has their own calls counted against their share', async () => {
  clock.set(new Date(TEST_NOW.getTime() + 10_800_000))
  const [maria, ben] = [await makeTrader(testApp), await makeTrader(testApp)]
  const ask = ({ userId }: Trader) => testApp.calls.takeFor(userId, 'AAPL')
  const first = await Promise.all(Array.from({ length: 45 }, () => ask(maria)))
  expect(first.filter(Boolean)).toHaveLength(40)
  // All of these are forgotten, and it is still known that calls were scarce.
  await pool.query('delete from provider_calls')
  const both = await Promise.all(Array.from({ length: 15 }, () => [ask(maria), ask(ben)]).flat())
  const of = (person: number) => both.filter((taken, nth) => taken && nth % 2 === person).length
  expect([of(0), of(1)]).toEqual([10, 10])
})

async function followed(): Promise<Trader> {
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await signIn(testApp), trader)
  return trader
}

/** Where within any 60 s the most calls arrived, of instants in ms. */
function mostInAMinute(instants: readonly number[]): number {
  return Math.max(...instants.map((from) => instants.filter((at) => at >= from && at < from + 60_000).length))
}

test('of 60 calls a minute twenty followed traders check and publish, and close, beside ten who want all of them', async () => {
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) quotes.set(symbol, { price: 100, at: TEST_NOW })
  const traders = await Promise.all(Array.from({ length: 20 }, followed))
  const hostile = await Promise.all(Array.from({ length: 10 }, () => makeTrader(testApp)))
  for (const trader of traders.slice(0, 10))
    expect((await open(testApp, quotes, trader, 'KO', 60)).status).toBe(201)
  await pool.query('delete from provider_calls')
  quotes.asked.splice(0)
  // The day after, on which what was opened may be closed.
  const began = TEST_NOW.getTime() + 86_400_000
  const arrived: number[] = []
  const answers: Record<string, number> = {}
  const note = (who: string, status: number, code: unknown) => {
    const key = status < 300 ? `${who} ok` : `${who} ${code}`
    answers[key] = (answers[key] ?? 0) + 1
  }
  const keys = new Map<Trader, string>()
  for (let second = -90; second < 90; second += 1) {
    clock.set(new Date(began + second * 1000))
    const before = quotes.asked.length
    const at = { price: 100, at: clock.now() }
    for (const symbol of ['AAPL', 'KO', 'MSFT']) quotes.set(symbol, at)
    for (const each of hostile)
      if (second % 2 === 0) {
        const { body, status } = await call(testApp, each, 'POST', '/v1/positions/preview', {
          symbol: 'MSFT',
        })
        note('hostile', status, body.code)
      }
    await testApp.calls.take('mark').then((has) => note('mark', has ? 200 : 429, 'waits'))
    const trader = traders[Math.floor(second / 3)]
    if (second >= 0 && second < 60 && second % 3 === 0 && trader) {
      const { body, status } = await call(testApp, trader, 'POST', '/v1/positions/preview', {
        symbol: 'AAPL',
      })
      note('check', status, body.code)
      keys.set(trader, String(body.key))
    }
    const waited = traders[Math.floor((second - 20) / 3)]
    if (second >= 20 && second < 80 && (second - 20) % 3 === 0 && waited) {
      const payload = {
        symbol: 'AAPL',
        key: keys.get(waited),
        openNotes: 'Notes of ten or more characters.',
        positionLength: 'one_to_three_weeks',
      }
      const { body, status } = await call(testApp, waited, 'POST', '/v1/positions/open', payload)
      note('publish', status, body.code)
    }
    const closing = traders[second]
    if (second >= 0 && second < 10 && closing) {
      const { status, body } = await close(testApp, quotes, closing, 'KO', 66)
      note('close', status, body.code)
    }
    for (let nth = before; nth < quotes.asked.length; nth += 1) arrived.push(began + second * 1000)
  }
  expect(answers).toMatchObject({ 'check ok': 20, 'publish ok': 20, 'close ok': 10 })
  expect(answers).not.toHaveProperty('check price_unavailable')
  expect(answers).not.toHaveProperty('publish price_unavailable')
  expect(answers['hostile price_unavailable'] ?? 0).toBeGreaterThan(100)
  expect(answers['mark waits'] ?? 0).toBeGreaterThan(100)
  expect(mostInAMinute(arrived)).toBeLessThanOrEqual(60)
})
