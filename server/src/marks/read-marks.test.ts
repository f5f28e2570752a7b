import { markOfOpening } from '@tradepost/contract/marks'
import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { statementsOf } from '../../test/database/query-log.ts'
import {
  call,
  close,
  makeTrader,
  moveSubscription,
  NOTES,
  open,
  subscribe,
  takeKey,
} from '../../test/factories.ts'
import { askAll, askDepsOf, holdSymbols, marksOf } from '../../test/prices/marks-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runPurges } from '../../test/run-purges.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(async () => {
  await testApp.pool.query(
    `truncate positions cascade; delete from symbol_marks;
     update mark_pace set next_ask_at = '-infinity', failures = 0, round_at = null, round_before_at = null`,
  )
  testApp.clock.set(TEST_NOW)
})

const deps = askDepsOf(testApp, quotes.provider)
const symbolsOf = async (who: SignedIn) => (await marksOf(testApp, who)).map(({ symbol }) => symbol)

test('marks are of own active positions and of those of traders followed, each symbol once', async () => {
  const [viewer, followed, stranger] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  await open(testApp, quotes, followed, 'BOTH', 1)
  await open(testApp, quotes, followed, 'GONE', 1)
  await open(testApp, quotes, viewer, 'BOTH', 1)
  await open(testApp, quotes, viewer, 'MINE', 1)
  await open(testApp, quotes, stranger, 'SECRET', 1)
  await subscribe(testApp, viewer, followed)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, followed, 'GONE', 1)
  expect(await symbolsOf(viewer)).toEqual(['BOTH', 'MINE'])
  expect(await symbolsOf(followed)).toEqual(['BOTH'])
  expect(await symbolsOf(await signIn(testApp))).toEqual([])
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s shows marks if it is entitled',
  async (status) => {
    const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
    await open(testApp, quotes, trader, 'AAPL', 1)
    await subscribe(testApp, viewer, trader, status)
    expect(await symbolsOf(viewer)).toEqual(
      ['active', 'trialing', 'past_due'].includes(status) ? ['AAPL'] : [],
    )
  },
)

test('marks vanish with the entitlement, and neither visitors nor suspended people get any', async () => {
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 1)
  const id = await subscribe(testApp, viewer, trader)
  const seen = []
  for (const status of ['past_due', 'unpaid', 'active', 'canceled'] as const) {
    await moveSubscription(testApp, trader, id, status)
    seen.push((await symbolsOf(viewer)).length)
  }
  expect(seen).toEqual([1, 0, 1, 0])
  expect(await call(testApp, null, 'GET', '/v1/marks')).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
  })
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [trader.userId, TEST_NOW])
  expect(await call(testApp, trader, 'GET', '/v1/marks')).toMatchObject({
    status: 403,
    body: { code: 'account_suspended' },
  })
})

test('a mark shows how sure it is: of this minute, older, or that there is no price of now', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['AAPL', 'NOSUCH'])
  const opening = { price: '1', at: '2026-03-04T14:00:00.000Z', state: 'aged' }
  expect(await marksOf(testApp, trader), 'the opening').toEqual([
    { symbol: 'AAPL', ...opening },
    { symbol: 'NOSUCH', ...opening },
  ])
  quotes.set('AAPL', { price: 187.5, at: new Date('2026-03-04T14:58:20.000Z') })
  expect((await askAll(testApp, deps)).toSorted()).toEqual(['AAPL', 'NOSUCH'])
  const unknown = { symbol: 'NOSUCH', ...opening }
  const apple = { symbol: 'AAPL', price: '187.5', at: '2026-03-04T14:58:00.000Z' }
  expect(await marksOf(testApp, trader)).toEqual([{ ...apple, state: 'current' }, unknown])
  const [{ found } = { found: TEST_NOW }] = (
    await testApp.pool.query<{ found: Date }>(
      "select answered_at as found from symbol_marks where symbol = 'AAPL'",
    )
  ).rows
  testApp.clock.set(new Date(found.getTime() + 60_000))
  expect((await marksOf(testApp, trader))[0]).toEqual({ ...apple, state: 'current' })
  testApp.clock.set(new Date(found.getTime() + 60_001))
  expect((await marksOf(testApp, trader))[0]).toEqual({ ...apple, state: 'aged' })
})

test('the first mark of a position is its own opening, and the next one comes when a whole round has gone by', async () => {
  const [viewer, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  await holdSymbols(testApp, other, ['SAME'])
  const rounds = async () => {
    testApp.clock.advance(60_000)
    quotes.set('SAME', { price: 100 + testApp.clock.now().getUTCMinutes(), at: testApp.clock.now() })
    quotes.set('OWN', { price: 100 + testApp.clock.now().getUTCMinutes(), at: testApp.clock.now() })
    await askAll(testApp, deps)
    return (await marksOf(testApp, viewer)).map(({ price, symbol }) => `${symbol} ${price}`)
  }
  await rounds()
  // Somebody else holds SAME, which has a mark already; OWN is new to everybody.
  await open(testApp, quotes, viewer, 'SAME', 90)
  await open(testApp, quotes, viewer, 'OWN', 90)
  const seen = (await marksOf(testApp, viewer)).map(
    ({ price, state, symbol }) => `${symbol} ${price} ${state}`,
  )
  expect(seen).toEqual(['OWN 90 current', 'SAME 90 current'])
  expect(await rounds(), 'a round that began after it').toEqual(['OWN 90', 'SAME 90'])
  expect(await rounds(), 'the first after a whole round').toEqual(['OWN 103', 'SAME 103'])
})

test('a later opening of somebody who is followed is newer than the mark, until the next one', async () => {
  const [viewer, followed] = [await makeTrader(testApp), await makeTrader(testApp)]
  await subscribe(testApp, viewer, followed)
  await holdSymbols(testApp, viewer, ['AAPL'])
  quotes.set('AAPL', { price: 100, at: TEST_NOW })
  await askAll(testApp, deps)
  testApp.clock.advance(60_000)
  await open(testApp, quotes, followed, 'AAPL', 110)
  const openedAt = testApp.clock.now().toISOString()
  // An open page puts it there by itself.
  expect(await marksOf(testApp, viewer)).toEqual([markOfOpening({ stock: 'AAPL', openPrice: 110, openedAt })])
  expect(await marksOf(testApp, viewer)).toMatchObject([{ symbol: 'AAPL', price: '110', state: 'current' }])
  quotes.set('AAPL', { price: 108, at: testApp.clock.now() })
  await askAll(testApp, deps)
  expect(await marksOf(testApp, viewer)).toMatchObject([{ symbol: 'AAPL', price: '108', state: 'current' }])
})

test('a share without a price is no longer traded on the third session day of it; the operator is notified on the second', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['ZERO'])
  const last = { symbol: 'ZERO', price: '2', at: TEST_NOW.toISOString() }
  const askAt = async (instant: string) => {
    testApp.clock.set(new Date(instant))
    expect(await askAll(testApp, deps)).toEqual(['ZERO'])
    return marksOf(testApp, trader)
  }
  const noticesSent = async () =>
    (
      await testApp.pool.query(
        "select facts->>'subject' as subject from outbox where cause like 'noprice:%' order by 1",
      )
    ).rows.map(({ subject }) => subject)
  quotes.set('ZERO', { price: 2, at: TEST_NOW })
  expect(await askAt('2026-03-04T15:00:00Z')).toEqual([{ ...last, state: 'current' }])
  quotes.set('ZERO', { price: 0, at: TEST_NOW })
  expect(await askAt('2026-03-04T15:02:00Z'), 'once').toEqual([{ ...last, state: 'aged', unpriced: true }])
  expect(await askAt('2026-03-04T20:00:00Z'), 'the same day').toEqual([
    { ...last, state: 'aged', unpriced: true },
  ])
  expect(await noticesSent()).toEqual([])
  expect(await askAt('2026-03-05T15:00:00Z')).toEqual([{ ...last, state: 'aged', unpriced: true }])
  expect(await noticesSent()).toEqual(['ZERO has no price'])
  testApp.clock.set(new Date('2026-03-07T15:00:00Z'))
  expect(await askAll(testApp, deps), 'a Saturday').toEqual([])
  expect(await askAt('2026-03-09T15:00:00Z')).toEqual([{ ...last, state: 'gone', unpriced: true }])
  expect(await noticesSent()).toEqual(['ZERO has no price'])
  // A share with a price again is a share as any other, and one more empty answer begins the count again.
  quotes.set('ZERO', { price: 2.1, at: new Date('2026-03-10T15:00:00Z') })
  const back = { symbol: 'ZERO', price: '2.1', at: '2026-03-10T15:00:00.000Z' }
  expect(await askAt('2026-03-10T15:00:00Z')).toEqual([{ ...back, state: 'current' }])
  quotes.set('ZERO', { price: 0, at: TEST_NOW })
  expect(await askAt('2026-03-11T15:00:00Z')).toEqual([{ ...back, state: 'aged', unpriced: true }])
})

test('a read of marks asks nobody and writes nothing', async () => {
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await holdSymbols(testApp, trader, ['AAPL'])
  await subscribe(testApp, viewer, trader)
  const asked = quotes.asked.length
  const texts = await statementsOf(testApp, () => marksOf(testApp, viewer))
  expect(texts.join()).toContain('symbol_marks')
  expect(texts.join()).not.toMatch(/\b(insert|update|delete)\b/)
  expect(quotes.asked.length).toBe(asked)
})

test('publishing a position costs no statement for marks', async () => {
  const trader = await makeTrader(testApp)
  const order = { symbol: 'AAPL', openNotes: NOTES, positionLength: 'one_to_three_weeks', closeNotes: NOTES }
  const publish = (path: string, key: string) =>
    statementsOf(testApp, async () => {
      const { status } = await call(testApp, trader, 'POST', `/v1/positions/${path}`, { ...order, key })
      expect(status).toBeLessThan(300)
    })
  const texts = await publish('open', await takeKey(testApp, quotes, trader, 'AAPL', 1))
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  texts.push(...(await publish('close', await takeKey(testApp, quotes, trader, 'AAPL', 1))))
  expect(texts.join()).toContain('insert into "positions"')
  expect(texts.join()).not.toMatch(/symbol_marks|symbol_days|mark_pace/)
})

test('what is held is asked about every half minute, with and without readers, in an order that changes', async () => {
  const trader = await makeTrader(testApp)
  const symbols = Array.from({ length: 12 }, (_, nth) => `S${10 + nth}`)
  await holdSymbols(testApp, trader, symbols)
  for (const symbol of symbols) quotes.set(symbol, { price: 1, at: TEST_NOW })
  const orders: string[] = []
  for (let second = 0; second < 300; second += 30) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + second * 1000))
    const order = await askAll(testApp, deps)
    expect(order.toSorted()).toEqual(symbols)
    orders.push(order.join())
  }
  expect(new Set(orders).size).toBe(10)
})

test('nothing is asked about while the exchange is closed, nor what nobody holds any more', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'LEFT', 1)
  await open(testApp, quotes, trader, 'HELD', 1)
  const askedAt = async (instant: string) => {
    testApp.clock.set(new Date(instant))
    return (await askAll(testApp, deps)).toSorted()
  }
  expect(await askedAt('2026-03-04T20:59:59Z')).toEqual(['HELD', 'LEFT'])
  expect(await askedAt('2026-03-04T21:05:00Z')).toEqual([])
  expect(await askedAt('2026-03-05T13:29:59Z')).toEqual([])
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, trader, 'LEFT', 1)
  expect(await askedAt('2026-03-05T15:01:00Z')).toEqual(['HELD'])
})

test('a mark that nobody has held is kept for thirty days, and then forgotten', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['OLD'])
  await askAll(testApp, deps, 1)
  const kept = async () =>
    (await testApp.db.selectFrom('symbol_marks').select('symbol').execute()).map(({ symbol }) => symbol)
  const thirtyDaysLater = TEST_NOW.getTime() + 30 * 86_400_000
  await runPurges(testApp, new Date(thirtyDaysLater))
  expect(await kept()).toEqual(['OLD'])
  await runPurges(testApp, new Date(thirtyDaysLater + 1))
  expect(await kept()).toEqual([])
})
