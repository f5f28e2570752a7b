import type { FollowingResults } from '@tradepost/contract/following'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import {
  call,
  close,
  makeTrader,
  moveSubscription,
  open,
  setMark,
  subscribe,
  type Trader,
} from '../../test/factories.ts'
import { insertCloses } from '../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runJobs } from '../../test/run-jobs.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { followingTasks } from './following.task.ts'
import { readResults } from './read-results.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { clock } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => clock.set(TEST_NOW))

const DAY_MS = 86_400_000
const notePrices = () => runJobs(testApp, followingTasks(testApp))

async function resultsOf(who: SignedIn): Promise<FollowingResults> {
  const { status, body } = await call(testApp, who, 'GET', '/v1/following/results')
  expect(status).toBe(200)
  return body as unknown as FollowingResults
}

/** A trader who bought at 100, and somebody who follows them at 110. */
async function followLate(
  symbol: string,
): Promise<{ trader: Trader; follower: SignedIn; subscription: string }> {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await open(testApp, quotes, trader, symbol, 100)
  clock.advance(3_600_000)
  await setMark(testApp, symbol, 110)
  const subscription = await subscribe(testApp, follower, trader)
  await notePrices()
  clock.advance(DAY_MS)
  return { trader, follower, subscription }
}

test('a position that was held already counts from its price of when following began, another one from its opening', async () => {
  const { trader, follower } = await followLate('LATE')
  await open(testApp, quotes, trader, 'NEXT', 50)
  clock.advance(DAY_MS)
  await insertCloses(testApp, [
    ['SPY', '2026-03-04', 400],
    ['SPY', '2026-03-05', 404],
    ['SPY', '2026-03-06', 408],
  ])
  await close(testApp, quotes, trader, 'LATE', 99)
  await close(testApp, quotes, trader, 'NEXT', 51)
  // From 110 to 99 is -10 %, from 50 to 51 is +2 %; the index from 400 and from 404 to 408 is +2 % and +0.99 %.
  const figures = { closed: 2, mean: -4, won: 1, index: 1.5 }
  expect(await resultsOf(follower)).toEqual({
    indexSymbol: 'SPY',
    following: 1,
    ...figures,
    open: 0,
    fromClose: 0,
    recent: figures,
    costs: [{ currency: 'usd', cents: 1000 }],
    traders: [{ username: trader.username, since: '2026-03-04T16:00:00.000Z', ...figures, open: 0 }],
    renewalMail: true,
  })
  const later = await readResults(testApp, follower.userId, new Date(clock.now().getTime() + 30 * DAY_MS + 1))
  expect(later).toMatchObject({ closed: 2, recent: { closed: 0, mean: null, won: 0, index: null } })
})

test('a close after the end counts no more, and whoever comes back goes on from the first price', async () => {
  const { trader, follower, subscription } = await followLate('GONE')
  await open(testApp, quotes, trader, 'BACK', 10)
  await moveSubscription(testApp, trader, subscription, 'paused')
  clock.advance(DAY_MS)
  await close(testApp, quotes, trader, 'BACK', 20)
  expect(await resultsOf(follower)).toMatchObject({ following: 0, closed: 0, mean: null, open: 0, costs: [] })
  await setMark(testApp, 'GONE', 200)
  await moveSubscription(testApp, trader, subscription, 'active')
  await notePrices()
  await close(testApp, quotes, trader, 'GONE', 121)
  expect(await resultsOf(follower)).toMatchObject({ following: 1, closed: 1, mean: 10, fromClose: 0 })
})

test('a split changes the price of when following began as it changes that of the opening', async () => {
  const { trader, follower } = await followLate('SPLT')
  await runOperator(testApp, 'positions:adjust', 'split', 'SPLT', '10:1', '2026-03-05')
  await close(testApp, quotes, trader, 'SPLT', 12.1)
  expect(await resultsOf(follower)).toMatchObject({ closed: 1, mean: 10 })
})

test('a struck position counts nowhere, and neither does a close without a price', async () => {
  const { trader, follower } = await followLate('STRK')
  await open(testApp, quotes, trader, 'WAIT', 10)
  clock.advance(DAY_MS)
  await close(testApp, quotes, trader, 'STRK', 121)
  await close(testApp, quotes, trader, 'WAIT', 11)
  expect(await resultsOf(follower)).toMatchObject({ closed: 2, mean: 10, open: 0 })
  await testApp.pool.query("update positions set unsettled = true where symbol = 'WAIT'")
  expect(await resultsOf(follower)).toMatchObject({ closed: 1, mean: 10, open: 1 })
  const { rows } = await testApp.pool.query<{ id: string }>("select id from positions where symbol = 'STRK'")
  await runOperator(testApp, 'positions:strike', rows[0]?.id ?? '', 'A glitch.')
  expect(await resultsOf(follower)).toMatchObject({ closed: 0, mean: null, open: 1 })
})

test('without a quote the last close before following counts, and without one the opening; the answer says so', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await open(testApp, quotes, trader, 'SHUT', 100)
  await open(testApp, quotes, trader, 'MUTE', 100)
  await insertCloses(testApp, [
    ['SHUT', '2026-03-04', 104],
    ['SHUT', '2026-03-05', 1],
  ])
  await testApp.pool.query("delete from symbol_marks where symbol in ('SHUT', 'MUTE')")
  clock.advance(DAY_MS)
  await subscribe(testApp, follower, trader)
  await notePrices()
  await notePrices()
  await close(testApp, quotes, trader, 'SHUT', 114.4)
  await close(testApp, quotes, trader, 'MUTE', 120)
  expect(await resultsOf(follower)).toMatchObject({ closed: 2, mean: 15, fromClose: 2 })
})

test('somebody who followed before prices were noted has the last close before then', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await open(testApp, quotes, trader, 'OLDF', 100)
  await insertCloses(testApp, [['OLDF', '2026-03-04', 80]])
  clock.advance(DAY_MS)
  await subscribe(testApp, follower, trader)
  await testApp.pool.query('delete from work')
  await close(testApp, quotes, trader, 'OLDF', 100)
  expect(await resultsOf(follower)).toMatchObject({ closed: 1, mean: 25, fromClose: 1 })
})

test('of what is paid by the year a twelfth counts for a month, rounded to the cent, and the answer says so', async () => {
  const follower = await signIn(testApp)
  const byYear = async (cents: number, currency = 'usd') => {
    const id = await subscribe(testApp, follower, await makeTrader(testApp))
    await testApp.pool.query(
      "update subscriptions set billing_interval = 'year', price_cents = $2, currency = $3 where id = $1",
      [id, cents, currency],
    )
  }
  await subscribe(testApp, follower, await makeTrader(testApp))
  expect((await resultsOf(follower)).costs).toEqual([{ currency: 'usd', cents: 1000 }])
  await byYear(10_000)
  await byYear(10_006)
  await byYear(4900, 'eur')
  expect((await resultsOf(follower)).costs).toEqual([
    { currency: 'usd', cents: 2667, ofYears: true },
    { currency: 'eur', cents: 408, ofYears: true },
  ])
})

test('the mail before a renewal is on until it is switched off, for oneself alone', async () => {
  const [one, other] = [await signIn(testApp), await signIn(testApp)]
  for (const enabled of [false, false, true, false]) {
    const { status, body } = await call(testApp, one, 'POST', '/v1/following/renewal-mail', { enabled })
    expect({ status, body }).toEqual({ status: 200, body: { renewalMail: enabled } })
    expect((await resultsOf(one)).renewalMail).toBe(enabled)
  }
  expect(await resultsOf(other)).toMatchObject({ renewalMail: true, following: 0, traders: [], costs: [] })
})
