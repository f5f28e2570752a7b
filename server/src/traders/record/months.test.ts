import type { TrackRecord } from '@tradepost/contract/track-record'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, subscribe } from '../../../test/factories.ts'
import {
  type GivenClose,
  insertCloses,
  insertPositions,
  scoreAt,
} from '../../../test/prices/proven-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const SESSIONS = ['2026-01-29', '2026-01-30', '2026-02-02', '2026-02-27', '2026-03-02', '2026-04-01'] as const
const closesOf = (symbol: string, closes: readonly number[]): GivenClose[] =>
  SESSIONS.map((day, nth) => [symbol, day, closes[nth] ?? 0] as const)

test('each month of the record stands beside the index, whatever the range; one without a position has none, and open positions stay hidden from strangers', async () => {
  await using testApp = await buildTestApp()
  testApp.clock.set(new Date('2026-01-28T00:00:00Z'))
  const trader = await makeTrader(testApp)
  await testApp.pool.query('insert into trader_stats (trader_id) values ($1)', [trader.userId])
  await insertCloses(testApp, [
    ...closesOf('SPY', [100, 101, 101, 102, 102, 105]),
    ...closesOf('KO', [10, 11, 11, 12.1, 12.1, 12.1]),
    ...closesOf('AAPL', [50, 50, 50, 50, 50, 55]),
  ])
  const { userId: traderId } = trader
  const at = (day: string) => `${day}T15:00:00Z`
  await insertPositions(testApp, [
    {
      traderId,
      symbol: 'KO',
      openedAt: at('2026-01-30'),
      openPrice: 10,
      closedAt: at('2026-02-27'),
      closePrice: 12.1,
    },
    {
      traderId,
      symbol: 'AAPL',
      openedAt: at('2026-04-01'),
      openPrice: 50,
      holdLength: 'more_than_six_months',
    },
  ])
  await scoreAt(testApp, '2026-04-02T04:41:00Z')
  const [stranger, follower] = [await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  async function monthsOf(who: SignedIn, range: string): Promise<TrackRecord['months']> {
    const path = `/v1/traders/${trader.username}/track-record?range=${range}`
    const { status, body } = await call(testApp, who, 'GET', path)
    expect(status).toBe(200)
    return (body as unknown as TrackRecord).months
  }
  const first = [
    { month: '2026-01', level: 10, index: 1 },
    { month: '2026-02', level: 10, index: 0.99 },
    { month: '2026-03', level: null, index: 0 },
  ]
  for (const range of ['all', '1y', '3m'])
    expect(await monthsOf(stranger, range), range).toEqual([
      ...first,
      { month: '2026-04', level: null, index: 2.94 },
    ])
  expect(await monthsOf(follower, '3m')).toEqual([...first, { month: '2026-04', level: 10, index: 2.94 }])
})
