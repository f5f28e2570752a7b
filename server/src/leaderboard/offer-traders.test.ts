import type { OfferedTraders } from '@tradepost/contract/leaderboard'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import {
  call,
  completePayouts,
  makeTrader,
  moveSubscription,
  subscribe,
  type Trader,
} from '../../test/factories.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const { pool } = testApp
afterAll(() => testApp.close())
beforeEach(() => pool.query('truncate trader_stats'))

/** A trader with four closed positions of this mean; `transfers` is the state of their payouts, null where there are none. */
async function makeRanked(
  name: string,
  gain: number,
  transfers: string | null = 'active',
  closed = 4,
): Promise<Trader> {
  const trader = await makeTrader(testApp, name)
  await pool.query(
    'insert into trader_stats (trader_id, closed_count, gain_sum, win_count) values ($1, $3::int, $3::int * $2::numeric, 3)',
    [trader.userId, gain, closed],
  )
  if (transfers === null) return trader
  await completePayouts(testApp, trader)
  await pool.query('update payout_accounts set transfers_status = $2 where user_id = $1', [
    trader.userId,
    transfers,
  ])
  return trader
}

async function offeredTo(viewer: SignedIn): Promise<string[]> {
  const { body, status } = await call(testApp, viewer, 'GET', '/v1/leaderboard/offered')
  expect(status).toBe(200)
  return (body as OfferedTraders).traders.map(({ username }) => username)
}

test('the best three whom one may subscribe to are offered, with what the leaderboard shows of them and the price', async () => {
  await makeRanked('without', 90, null)
  await makeRanked('restricted', 80, 'restricted')
  await makeRanked('first', 70)
  await makeRanked('second', 60)
  await makeRanked('third', 50)
  await makeRanked('fourth', 40)
  const viewer = await signIn(testApp)
  expect(await offeredTo(viewer)).toEqual(['first', 'second', 'third'])
  const { body } = await call(testApp, viewer, 'GET', '/v1/leaderboard/offered')
  expect((body as OfferedTraders).traders[0]).toEqual({
    username: 'first',
    averageGain: '70.00',
    closed: 4,
    wins: null,
    priceCents: 1000,
    currency: 'usd',
  })
})

test('neither oneself is offered, nor somebody followed, nor somebody suspended; a subscription that has ended does not count', async () => {
  const [own, followed, suspended] = [
    await makeRanked('own', 90),
    await makeRanked('followed', 80),
    await makeRanked('suspended', 70),
  ]
  await makeRanked('open', 60)
  await pool.query('update trader_stats set suspended = true where trader_id = $1', [suspended.userId])
  const id = await subscribe(testApp, own, followed)
  expect(await offeredTo(own)).toEqual(['open'])
  await moveSubscription(testApp, followed, id, 'past_due')
  expect(await offeredTo(own)).toEqual(['open'])
  await moveSubscription(testApp, followed, id, 'canceled')
  expect(await offeredTo(own)).toEqual(['followed', 'open'])
})

test('eight of the best are looked at beside oneself, and nobody further down', async () => {
  for (let nth = 0; nth < 7; nth += 1) await makeRanked(`closed${nth}`, 90 - nth, null)
  const eighth = await makeRanked('eighth', 20)
  await makeRanked('ninth', 10)
  const viewer = await signIn(testApp)
  expect(await offeredTo(viewer)).toEqual(['eighth'])
  expect(await offeredTo(eighth)).toEqual(['ninth'])
})

test('somebody who has closed five positions is offered before better averages of fewer', async () => {
  await makeRanked('lucky', 90)
  await makeRanked('five', 20, 'active', 5)
  await makeRanked('many', 30, 'active', 40)
  const viewer = await signIn(testApp)
  expect(await offeredTo(viewer)).toEqual(['many', 'five', 'lucky'])
  await makeRanked('sixth', 25, 'active', 6)
  expect(await offeredTo(viewer)).toEqual(['many', 'sixth', 'five'])
})

test('where nobody is ranked nobody is offered', async () => {
  expect(await offeredTo(await signIn(testApp))).toEqual([])
})
