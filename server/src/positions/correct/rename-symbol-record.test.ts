import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader } from '../../../test/factories.ts'
import { daysOf, insertCloses, insertPositions, scoreAt } from '../../../test/prices/proven-scenario.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { adjustForSplit } from './adjust-positions.ts'
import { renameSymbol } from './rename-symbol.ts'

/** A Friday. */
const RENAMED_ON = '2026-03-06'

test('curve, score and record of the days before are what they were', async () => {
  await using testApp = await buildTestApp()
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const trader = await makeTrader(testApp)
  const { userId: traderId, username } = trader
  const days = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']
  await insertCloses(testApp, [
    ...days.map((day, nth) => ['SPY', day, [100, 101, 103, 102][nth] ?? 0] as const),
    ...days.map((day, nth) => ['OLDF', day, [50, 55, 28, 31][nth] ?? 0] as const),
    ['SPY', RENAMED_ON, 104],
    ['NEWF', RENAMED_ON, 33],
  ])
  // Past its plan, so that it counts in the score too.
  const overdue = { openedAt: '2026-02-16T15:00:00Z', holdLength: 'less_than_one_week' }
  const closed = { openedAt: '2026-03-02T15:00:00Z', closedAt: '2026-03-04T15:00:00Z' }
  await insertPositions(testApp, [
    { traderId, symbol: 'OLDF', ...overdue, openPrice: 48 },
    { traderId, symbol: 'GONE', ...closed, openPrice: 10, closePrice: 11 },
  ])
  const split = { symbol: 'OLDF', ratio: '2:1', day: '2026-03-04' }
  testApp.clock.set(new Date('2026-03-04T09:00:00Z'))
  expect(await adjustForSplit(testApp.db, split, testApp.clock.now())).toBe(1)

  const seen = async (night: string) => {
    expect(await scoreAt(testApp, night)).toMatchObject({ asOf: '2026-03-05' })
    const scores = await testApp.pool.query('select * from trader_scores where trader_id = $1', [traderId])
    const record = await call(testApp, trader, 'GET', `/v1/traders/${username}/track-record?range=all`)
    const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${username}`)
    expect([record.status, profile.status]).toEqual([200, 200])
    return {
      days: await daysOf(testApp, traderId),
      scores: scores.rows,
      record: record.body,
      profile: profile.body,
    }
  }
  const before = await seen('2026-03-06T04:41:00Z')
  expect(before).toMatchObject({ days: { length: 3 }, scores: { length: 1 } })
  testApp.clock.set(new Date('2026-03-06T05:00:00Z'))
  const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
  const given = { from: 'OLDF', to: 'NEWF', day: RENAMED_ON }
  expect(await renameSymbol(deps, given, testApp.clock.now())).toBe('Renamed 1 position.')
  const [shown, ...others] = before.profile.pastPlan as object[]
  expect([shown, others]).toMatchObject([{ symbol: 'OLDF' }, []])
  const pastPlan = [{ ...shown, symbol: 'NEWF' }]
  const named = { ...before, profile: { ...before.profile, pastPlan } }
  expect(await seen('2026-03-06T06:00:00Z'), 'but for its name').toEqual(named)

  // From the day on the new ticker's closes count: 33 after the 31 of the old one.
  await scoreAt(testApp, '2026-03-07T04:41:00Z')
  const after = await daysOf(testApp, traderId)
  expect(after.slice(0, 3)).toEqual(before.days)
  expect(after[3]).toMatch(/^2026-03-06 1 6\.4516 /)
})
