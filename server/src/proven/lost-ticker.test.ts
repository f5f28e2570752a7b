import { expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { daysOf, insertCloses, insertPositions, scoreAt } from '../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { type Listed, listOn } from '../../test/prices/symbol-list.ts'

const OTHERS: Listed[] = Array.from({ length: 60 }, (_, nth) => [`ZZ${nth}`, `OTHER ${nth}`, `BBGZ${nth}`])

test('closes of the company that has a ticker now are none of what was bought of the one before', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [before, after] = [await makeTrader(testApp), await makeTrader(testApp)]
  const days = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
  await insertCloses(testApp, [
    ...days.map((day, nth) => ['SPY', day, [100, 101, 103, 102, 104][nth] ?? 0] as const),
    ...days.map((day, nth) => ['AAA', day, [50, 55, 58, 4, 6][nth] ?? 0] as const),
  ])
  // Past its plan, so that everybody sees it in the curve.
  const overdue = { openedAt: '2026-02-16T15:00:00Z', holdLength: 'less_than_one_week' }
  await insertPositions(testApp, [{ traderId: before.userId, symbol: 'AAA', ...overdue, openPrice: 48 }])
  await listOn(testApp, quotes, '2026-03-04T15:00:00Z', [...OTHERS, ['AAA', 'OLD MINES', 'BBG1']])
  await listOn(testApp, quotes, '2026-03-05T11:00:00Z', [...OTHERS, ['AAA', 'NEW SOFTWARE', 'BBG2']])
  await insertPositions(testApp, [
    { traderId: after.userId, symbol: 'AAA', openedAt: '2026-03-05T15:00:00Z', openPrice: 4 },
  ])
  await scoreAt(testApp, '2026-03-07T04:41:00Z')

  const returns = async (traderId: string) =>
    (await daysOf(testApp, traderId)).map((line) => line.split(' ').slice(0, 3).join(' '))
  expect(await returns(before.userId)).toEqual([
    '2026-03-03 1 10.0000',
    '2026-03-04 1 5.4545',
    '2026-03-05 1 0.0000',
    '2026-03-06 1 0.0000',
  ])
  expect(await returns(after.userId)).toEqual(['2026-03-05 1 0.0000', '2026-03-06 1 50.0000'])
  const { body } = await call(testApp, after, 'GET', `/v1/traders/${before.username}/track-record?range=all`)
  expect(body).toMatchObject({ allIn: { mean: 20.83 } })
})
