import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
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
import { askAll, askDepsOf, holdSymbols, marksOf } from '../../test/marks-scenario.ts'
import { statementsOf } from '../../test/query-log.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in.ts'
import { purgeMarks } from './purge-marks.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(async () => {
  await testApp.pool.query(
    "delete from symbol_marks; update mark_pace set next_ask_at = '-infinity', failures = 0",
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

test('a mark says how sure it is: not known yet, of this minute, older, or of a symbol that is gone', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['AAPL', 'NOSUCH'])
  const none = { price: null, at: null }
  expect(await marksOf(testApp, trader)).toEqual([
    { symbol: 'AAPL', ...none, state: 'waiting' },
    { symbol: 'NOSUCH', ...none, state: 'waiting' },
  ])
  const tradedAt = new Date('2026-03-04T14:58:20.000Z')
  quotes.set('AAPL', { price: 187.5, at: tradedAt })
  expect(await askAll(testApp, deps)).toEqual(['AAPL', 'NOSUCH'])
  const apple = { symbol: 'AAPL', price: '187.5', at: '2026-03-04T14:58:20.000Z' }
  const unknown = { symbol: 'NOSUCH', ...none, state: 'waiting', unpriced: true }
  expect(await marksOf(testApp, trader)).toEqual([{ ...apple, state: 'current' }, unknown])
  testApp.clock.set(new Date(TEST_NOW.getTime() + 60_000))
  expect(await marksOf(testApp, trader)).toEqual([{ ...apple, state: 'current' }, unknown])
  testApp.clock.set(new Date(TEST_NOW.getTime() + 60_001))
  expect(await marksOf(testApp, trader)).toEqual([{ ...apple, state: 'aged' }, unknown])
})

test('a share without a price is no longer traded on the third session day of it; the operator hears on the second', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['ZERO'])
  const last = { symbol: 'ZERO', price: '2', at: TEST_NOW.toISOString() }
  const askAt = async (instant: string) => {
    testApp.clock.set(new Date(instant))
    await marksOf(testApp, trader)
    expect(await askAll(testApp, deps)).toEqual(['ZERO'])
    return marksOf(testApp, trader)
  }
  const told = async () =>
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
  expect(await told()).toEqual([])
  expect(await askAt('2026-03-05T15:00:00Z')).toEqual([{ ...last, state: 'aged', unpriced: true }])
  expect(await told()).toEqual(['ZERO has no price'])
  expect(await askAt('2026-03-07T15:00:00Z'), 'a Saturday').toEqual([
    { ...last, state: 'aged', unpriced: true },
  ])
  expect(await askAt('2026-03-09T15:00:00Z')).toEqual([{ ...last, state: 'gone', unpriced: true }])
  expect(await told()).toEqual(['ZERO has no price'])
  // One that comes back is a share as any other, and one more empty answer begins anew.
  quotes.set('ZERO', { price: 2.1, at: new Date('2026-03-10T15:00:00Z') })
  const back = { symbol: 'ZERO', price: '2.1', at: '2026-03-10T15:00:00.000Z' }
  expect(await askAt('2026-03-10T15:00:00Z')).toEqual([{ ...back, state: 'current' }])
  quotes.set('ZERO', { price: 0, at: TEST_NOW })
  expect(await askAt('2026-03-11T15:00:00Z')).toEqual([{ ...back, state: 'aged', unpriced: true }])
})

test('no request asks the provider, and of many readers few write', async () => {
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await holdSymbols(testApp, trader, ['AAPL'])
  await subscribe(testApp, viewer, trader)
  const asked = quotes.asked.length
  const writes = async (who: SignedIn) =>
    (await statementsOf(testApp, () => marksOf(testApp, who))).filter((text) =>
      text.includes('insert into symbol_marks'),
    ).length
  expect([await writes(viewer), await writes(trader), await writes(viewer)]).toEqual([1, 0, 0])
  testApp.clock.advance(30_000)
  expect([await writes(viewer), await writes(trader)]).toEqual([0, 0])
  testApp.clock.advance(1000)
  expect([await writes(viewer), await writes(trader)]).toEqual([1, 0])
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

test('a symbol is asked again every half minute while somebody looks, and for a minute after', async () => {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['AAPL'])
  quotes.set('AAPL', { price: 1, at: TEST_NOW })
  await marksOf(testApp, trader)
  const askedAfter: number[] = []
  for (let second = 0; second < 300; second += 1) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + second * 1000))
    if ((await askAll(testApp, deps, 1)).length > 0) askedAfter.push(second)
  }
  expect(askedAfter).toEqual([0, 30, 60])
})

test('a mark that nobody has looked at is kept for thirty days, and then forgotten', async () => {
  const viewer = await makeTrader(testApp)
  await open(testApp, quotes, viewer, 'OLD', 1)
  await symbolsOf(viewer)
  await askAll(testApp, deps, 1)
  const kept = async () =>
    (await testApp.db.selectFrom('symbol_marks').select('symbol').execute()).map(({ symbol }) => symbol)
  const { watched_until: until } = await testApp.db
    .selectFrom('symbol_marks')
    .select('watched_until')
    .where('symbol', '=', 'OLD')
    .executeTakeFirstOrThrow()
  const thirtyDaysLater = (until?.getTime() ?? 0) + 30 * 86_400_000
  await purgeMarks(testApp.db, new Date(thirtyDaysLater))
  expect(await kept()).toContain('OLD')
  await purgeMarks(testApp.db, new Date(thirtyDaysLater + 1))
  expect(await kept()).not.toContain('OLD')
})
