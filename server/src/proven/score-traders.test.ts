import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call } from '../../test/factories.ts'
import {
  closeActive,
  daysOf,
  insertCloses,
  insertPositions,
  insertTraders,
  scoreAt,
  settleClosesOf,
} from '../../test/prices/proven-scenario.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { adjustForSplit, closeDelisted } from '../positions/correct/adjust-positions.ts'
import { insertSplit } from '../positions/record/adjustments.queries.ts'

/** Monday to Friday. */
const MON = '2026-03-02'
const TUE = '2026-03-03'
const WED = '2026-03-04'
const THU = '2026-03-05'
const FRI = '2026-03-06'
const WEEK = [MON, TUE, WED, THU, FRI]
const SATURDAY_NIGHT = '2026-03-07T04:41:00Z'

const at = (day: string, time = '15:00') => `${day}T${time}:00Z`
const closesOf = (symbol: string, closes: (number | null)[]) =>
  WEEK.flatMap((day, nth) => {
    const close = closes[nth]
    return close == null ? [] : [[symbol, day, close] as const]
  })

/** One trader, and the index of the week. */
async function setStage(testApp: TestApp, index: (number | null)[] = [100, 101, 102, 103, 104]) {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [traderId = ''] = await insertTraders(testApp, 1)
  await insertCloses(testApp, closesOf('SPY', index))
  return traderId
}

test('a return counts from the opening price to the closing price, the excess from close to close beside the index', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp)
  await insertCloses(testApp, closesOf('AAPL', [50, 51, 52, 53, 54]))
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50, closedAt: at(FRI), closePrice: 55 },
  ])
  expect(await scoreAt(testApp, SATURDAY_NIGHT)).toEqual({ asOf: FRI, traders: 1 })
  // From Tuesday's closes on, 51 and 101 of the index: 1 of each a day; prices paid and got do not matter.
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 2.0000 none`,
    `${WED} 1 1.9608 0.9707`,
    `${THU} 1 1.9231 0.9707`,
    `${FRI} 1 3.7736 0.9707`,
  ])
})

test('a day is the mean of the positions that are open in it, and a day without any is none', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, [
    ...closesOf('AAPL', [50, 51, 51, 51, 51]),
    ...closesOf('KO', [10, 10, 9, 9, 9]),
  ])
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50, closedAt: at(WED), closePrice: 51 },
    { traderId, symbol: 'KO', openedAt: at(TUE), openPrice: 10, closedAt: at(WED), closePrice: 9 },
    { traderId, symbol: 'AAPL', openedAt: at(FRI), openPrice: 51 },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 2 1.0000 none`,
    `${WED} 2 -5.0000 -5.0000`,
    `${FRI} 1 0.0000 none`,
  ])
})

test('where a close is missing nothing is put in its place: the next known one brings the whole change, the index’s too', async () => {
  await using testApp = await buildTestApp()
  // No session is known on Wednesday, and AAPL's close of Thursday is missing.
  const traderId = await setStage(testApp, [100, 100, null, 110, 120])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 60, null, 55]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50 }])
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 none`,
    `${THU} 1 20.0000 20.0000`,
    `${FRI} 1 -8.3333 -30.0000`,
  ])
})

test('without a close of the session of the opening a position counts from the next one that is known, and ends with the last', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 150])
  await insertCloses(testApp, closesOf('AAPL', [40, null, 50, 55, null]))
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 40, closedAt: at(FRI), closePrice: 99 },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 none`,
    `${WED} 1 25.0000 none`,
    `${THU} 1 10.0000 10.0000`,
    `${FRI} 1 80.0000 0.0000`,
  ])
})

test('an opening or a close after the bell in New York, in summer at 20:00 UTC, belongs to the session after it', async () => {
  await using testApp = await buildTestApp()
  testApp.clock.set(new Date('2026-07-05T00:00:00Z'))
  const [late = '', early = '', between = ''] = await insertTraders(testApp, 3)
  const [mon, tue, wed, thu, fri] = ['06', '07', '08', '09', '10'].map((day) => `2026-07-${day}`)
  const closes = [mon, tue, wed, thu, fri].flatMap((day = '', nth) => [
    ['SPY', day, 100] as const,
    ['AAPL', day, [100, 120, 132, 66, 66][nth] ?? 0] as const,
  ])
  await insertCloses(testApp, closes)
  const position = { symbol: 'AAPL', openPrice: 100, closePrice: 132 }
  await insertPositions(testApp, [
    { ...position, traderId: late, openedAt: `${mon}T20:00:00Z`, closedAt: `${wed}T20:00:00Z` },
    { ...position, traderId: early, openedAt: `${mon}T19:59:59Z`, closedAt: `${wed}T19:59:59Z` },
    { ...position, traderId: between, openedAt: `${mon}T20:00:00Z`, closedAt: `${tue}T19:59:59Z` },
  ])
  expect(await scoreAt(testApp, '2026-07-11T04:41:00Z')).toEqual({ asOf: fri, traders: 2 })
  // Neither the jump before Tuesday's close nor Thursday's fall is left out for somebody who knew of it.
  expect(await daysOf(testApp, late)).toEqual([
    `${tue} 1 20.0000 none`,
    `${wed} 1 10.0000 10.0000`,
    `${thu} 1 none -55.0000`,
  ])
  expect(await daysOf(testApp, early)).toEqual([`${tue} 1 20.0000 20.0000`, `${wed} 1 10.0000 12.0000`])
  expect(await daysOf(testApp, between)).toEqual([`${tue} 1 32.0000 none`])
})

test('an unsettled close is an open position until it is settled, also where that becomes known after the night', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 50, 40, 44]))
  const opened = { traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50 }
  await insertPositions(testApp, [{ ...opened, closedAt: at(WED, '22:00'), closePrice: 50, unsettled: true }])
  // Bad news came on Wednesday evening; everybody's curve and score know of no close.
  expect(await scoreAt(testApp, SATURDAY_NIGHT)).toEqual({ asOf: FRI, traders: 0 })
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 0.0000`,
    `${WED} 1 0.0000 0.0000`,
    `${THU} 1 -20.0000 -20.0000`,
    `${FRI} 1 10.0000 8.0000`,
  ])
  // No worker had asked for the trade of Thursday.
  testApp.clock.set(new Date('2026-03-07T12:00:00Z'))
  const trade = { traderId, symbol: 'AAPL', tradedAt: at(THU, '14:31'), price: 41 }
  expect(await settleClosesOf(testApp, trade)).toBe(1)
  expect(await scoreAt(testApp, '2026-03-08T04:41:00Z')).toEqual({ asOf: FRI, traders: 1 })
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 0.0000`,
    `${WED} 1 0.0000 0.0000`,
    `${THU} 1 -18.0000 -20.0000`,
  ])
})

test('past its plan an unsettled close is what everybody may know of, as an open position is', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 50, 40, 44]))
  const opened = { traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50 }
  await insertPositions(testApp, [
    {
      ...opened,
      holdLength: 'less_than_one_week',
      closedAt: at(WED, '22:00'),
      closePrice: 50,
      unsettled: true,
    },
  ])
  expect(await scoreAt(testApp, '2026-03-10T14:59:00Z')).toEqual({ asOf: FRI, traders: 0 })
  expect(await scoreAt(testApp, '2026-03-10T15:00:00Z')).toEqual({ asOf: FRI, traders: 1 })
  const { rows } = await testApp.pool.query(
    'select day::text, round(shown_return, 2) as shown from trader_days order by day offset 2',
  )
  expect(rows).toEqual([
    { day: THU, shown: '-20.00' },
    { day: FRI, shown: '10.00' },
  ])
})

test('a share that is no longer traded counts at the price that the operator enters', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 120])
  await insertCloses(testApp, closesOf('GONE', [50, 40, null, null, null]))
  await insertPositions(testApp, [{ traderId, symbol: 'GONE', openedAt: at(MON), openPrice: 50 }])
  await closeDelisted(testApp.db, { symbol: 'GONE', price: '5' }, new Date(at(FRI)))
  await scoreAt(testApp, SATURDAY_NIGHT)
  // 35 of 50, and the index's 20 %.
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 -20.0000 -20.0000`,
    `${WED} 1 0.0000 0.0000`,
    `${THU} 1 0.0000 0.0000`,
    `${FRI} 1 -87.5000 -90.0000`,
  ])
})

test('a position from before the index’s past counts beside it from the first day on which both are known', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp)
  await insertCloses(testApp, closesOf('AAPL', [50, 51, 51, 51, 51]))
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: '2026-02-27T15:00:00Z', openPrice: 40 },
  ])
  expect(await scoreAt(testApp, '2026-03-04T04:41:00Z')).toEqual({ asOf: TUE, traders: 0 })
  expect(await daysOf(testApp, traderId)).toEqual([`${TUE} 1 2.0000 1.0000`])
})

test('a close on a weekend ends with the next session', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp)
  await insertCloses(testApp, [
    ['SPY', '2026-03-09', 104],
    ['AAPL', '2026-03-09', 45],
    ...closesOf('AAPL', [50, 50, 50, 50, 50]),
  ])
  await insertPositions(testApp, [
    {
      traderId,
      symbol: 'AAPL',
      openedAt: at(FRI),
      openPrice: 50,
      closedAt: at('2026-03-07'),
      closePrice: 51,
    },
  ])
  await scoreAt(testApp, '2026-03-10T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([`${FRI} 1 0.0000 none`, '2026-03-09 1 2.0000 -10.0000'])
})

test('closes from before a split are counted in new shares, as soon as the operator has entered it', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [100, 110, 11, 12, 12]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 100 }])
  await scoreAt(testApp, '2026-03-05T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([`${TUE} 1 10.0000 10.0000`, `${WED} 1 -90.0000 -99.0000`])
  const split = { symbol: 'AAPL', ratio: '10:1', day: WED }
  expect(await adjustForSplit(testApp.db, split, new Date(at(THU)))).toBe(1)
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 10.0000 10.0000`,
    `${WED} 1 0.0000 0.0000`,
    `${THU} 1 9.0909 10.0000`,
  ])
})

test('a split whose positions are changed later than it was entered is counted from then on', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [100, 100, 100, 10, 10]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 100 }])
  testApp.clock.set(new Date(at(THU, '20:00')))
  // The operator's run dies before it comes to the positions.
  const split = { symbol: 'AAPL', day: THU, newShares: 10, oldShares: 1 }
  await insertSplit(testApp.db, split, testApp.clock.now())
  await scoreAt(testApp, SATURDAY_NIGHT)
  testApp.clock.set(new Date('2026-03-07T10:00:00Z'))
  expect(
    await adjustForSplit(testApp.db, { symbol: 'AAPL', ratio: '10:1', day: THU }, testApp.clock.now()),
  ).toBe(1)
  await scoreAt(testApp, '2026-03-08T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 none`,
    `${WED} 1 0.0000 0.0000`,
    `${THU} 1 0.0000 0.0000`,
    `${FRI} 1 0.0000 0.0000`,
  ])
})

test('a close that was filled after a split counts in the shares of the day of the question, for who closed before it too', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  // Filled on Friday, all in the shares since Thursday: 5 are 50 of before.
  await insertCloses(testApp, [
    ['AAPL', MON, 5, FRI],
    ['AAPL', TUE, 5.5, FRI],
    ['AAPL', WED, 5.7, FRI],
    ['AAPL', THU, 6, FRI],
  ])
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50, closedAt: at(WED), closePrice: 56 },
  ])
  expect(
    await adjustForSplit(testApp.db, { symbol: 'AAPL', ratio: '10:1', day: THU }, new Date(at(THU))),
  ).toBe(0)
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([`${TUE} 1 10.0000 10.0000`, `${WED} 1 1.8182 4.0000`])
})

test('a close that becomes known later changes the days that were computed without it, and no others', async () => {
  await using testApp = await buildTestApp()
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [traderId = '', other = ''] = await insertTraders(testApp, 2)
  await insertCloses(testApp, closesOf('SPY', [100, 100, 100, 100, 100]))
  await insertCloses(testApp, closesOf('AAPL', [50, 50, null, 55, 55]))
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50 },
    { traderId: other, symbol: 'KO', openedAt: at(THU), openPrice: 10 },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  await testApp.pool.query('update trader_days set positions = 9 where day = $1 or trader_id = $2', [
    TUE,
    other,
  ])
  testApp.clock.set(new Date('2026-03-09T12:00:00Z'))
  await insertCloses(testApp, [['AAPL', WED, 60]])
  await scoreAt(testApp, '2026-03-10T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 9 0.0000 0.0000`,
    `${WED} 1 20.0000 20.0000`,
    `${THU} 1 -8.3333 -10.0000`,
    `${FRI} 1 0.0000 0.0000`,
  ])
  expect(await daysOf(testApp, other)).toEqual([`${THU} 9 0.0000 none`, `${FRI} 9 0.0000 none`])
})

test('a day of the index that becomes known later changes everybody’s days from then on', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, null, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 60, 60, 60]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50 }])
  await scoreAt(testApp, SATURDAY_NIGHT)
  testApp.clock.set(new Date('2026-03-09T12:00:00Z'))
  await insertCloses(testApp, [['SPY', WED, 110]])
  await scoreAt(testApp, '2026-03-10T04:41:00Z')
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 0.0000`,
    `${WED} 1 20.0000 10.0000`,
    `${THU} 1 0.0000 10.0000`,
    `${FRI} 1 0.0000 0.0000`,
  ])
})

test('days that the version before has computed are all computed again', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 55, 55, 55]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 40 }])
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  await testApp.pool.query('update day_runs set version = 3')
  await testApp.pool.query('update trader_days set excess = 25')
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await daysOf(testApp, traderId)).toEqual([
    `${TUE} 1 0.0000 0.0000`,
    `${WED} 1 10.0000 10.0000`,
    `${THU} 1 0.0000 0.0000`,
    `${FRI} 1 0.0000 0.0000`,
  ])
})

test('today is no part of it, since its positions can still be closed', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 50, 50, 50]))
  await insertPositions(testApp, [{ traderId, symbol: 'AAPL', openedAt: at(MON), openPrice: 50 }])
  expect(await scoreAt(testApp, '2026-03-06T22:00:00Z')).toEqual({ asOf: THU, traders: 0 })
  await closeActive(testApp, { traderId, symbol: 'AAPL', at: at(FRI, '23:00'), price: 60 })
  expect(await scoreAt(testApp, SATURDAY_NIGHT)).toEqual({ asOf: FRI, traders: 1 })
  expect((await daysOf(testApp, traderId)).at(-1)).toBe(`${FRI} 1 20.0000 0.0000`)
})

test('the list is empty before the first run, and as long as no session has one before it', async () => {
  await using testApp = await buildTestApp()
  await setStage(testApp, [100, null, null, null, null])
  expect(await scoreAt(testApp, SATURDAY_NIGHT)).toBeNull()
  const viewer = await signIn(testApp)
  const { status, body } = await call(testApp, viewer, 'GET', '/v1/leaderboard/proven')
  expect({ status, ...body }).toEqual({ status: 200, asOf: null, formula: 3, entries: [] })
})

test('the list ranks by the low end, shows what is open and overdue, and who is not signed in sees none of it', async () => {
  await using testApp = await buildTestApp()
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [better = '', worse = ''] = await insertTraders(testApp, 2)
  await insertCloses(testApp, closesOf('SPY', [100, 101, 100, 101, 100]))
  await insertCloses(testApp, [
    ...closesOf('UP', [10, 11, 12, 13, 14]),
    ...closesOf('DOWN', [10, 9, 8, 7, 6]),
  ])
  const opened = { openedAt: at(MON), openPrice: 10, holdLength: 'less_than_one_week' }
  await insertPositions(testApp, [
    { traderId: worse, symbol: 'DOWN', ...opened, closedAt: at(FRI), closePrice: 6 },
    { traderId: worse, symbol: 'UP', ...opened },
    { traderId: better, symbol: 'UP', ...opened, closedAt: at(FRI), closePrice: 14 },
    { traderId: better, symbol: 'DOWN', ...opened },
    {
      traderId: better,
      symbol: 'KO',
      openedAt: at(TUE),
      openPrice: 5,
      closedAt: at(WED),
      closePrice: 5.5,
      holdLength: 'less_than_one_week',
    },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  const viewer = await signIn(testApp)
  const read = async () => (await call(testApp, viewer, 'GET', '/v1/leaderboard/proven')).body
  const list = await read()
  expect(list).toMatchObject({ asOf: FRI, formula: 3 })
  expect(list.entries).toMatchObject([
    { username: 'trader1', closed: 2, open: 1, overdue: 0, averageGain: '25.00' },
    { username: 'trader2', closed: 1, open: 1, overdue: 0, averageGain: '-40.00' },
  ])
  const [first, second] = list.entries as { low: string; middle: string; high: string }[]
  expect(Number(first?.low)).toBeGreaterThan(Number(second?.low))
  expect(Number(first?.low)).toBeLessThan(Number(first?.middle))
  expect(Number(first?.middle)).toBeLessThan(Number(first?.high))
  expect(first?.low).toMatch(/^-?\d+\.\d\d$/)
  // Declared for a week at most, opened on the 2nd at 15:00; the positions opened on the 3rd have been closed.
  testApp.clock.set(new Date('2026-03-11T15:00:00Z'))
  expect((await read()).entries).toMatchObject([{ overdue: 1 }, { overdue: 1 }])
  expect((await call(testApp, null, 'GET', '/v1/leaderboard/proven')).status).toBe(401)
})

test('an open position within its plan moves no score, nor does an unsettled close; past it, all of its days count', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, [
    ...closesOf('UP', [10, 11, 12, 12, 12]),
    ...closesOf('DOWN', [10, 9, 8, 4, 2]),
    ...closesOf('LOW', [10, 9, 8, 4, 2]),
  ])
  const closed = { symbol: 'UP', openedAt: at(MON), openPrice: 10, closedAt: at(WED), closePrice: 12 }
  await insertPositions(testApp, [{ traderId, ...closed }])
  const read = async () =>
    (await call(testApp, await signIn(testApp), 'GET', '/v1/leaderboard/proven')).body.entries
  await scoreAt(testApp, SATURDAY_NIGHT)
  const without = (await read()) as object[]
  const open = { symbol: 'DOWN', openedAt: at(MON), openPrice: 10 }
  const unsettled = { closedAt: at(THU, '22:00'), closePrice: 9, unsettled: true }
  await insertPositions(testApp, [
    { traderId, ...open, holdLength: 'less_than_one_week' },
    { traderId, ...open, symbol: 'LOW', holdLength: 'more_than_six_months', ...unsettled },
  ])
  await testApp.pool.query('delete from day_runs')
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await read()).toEqual([{ ...without[0], open: 1 }])
  await scoreAt(testApp, '2026-03-10T16:00:00Z')
  const [late] = (await read()) as { middle: string; overdue: number }[]
  expect(late?.overdue).toBe(1)
  expect(Number(late?.middle)).toBeLessThan(Number((without[0] as { middle: string }).middle))
})

test('the scores of the night before stay until all of the next are there, and then go', async () => {
  await using testApp = await buildTestApp()
  const traderId = await setStage(testApp)
  await insertCloses(testApp, closesOf('AAPL', [50, 51, 52, 53, 54]))
  const opened = { openedAt: at(MON), openPrice: 50 }
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', ...opened, closedAt: '2026-03-06T01:00:00Z', closePrice: 53 },
  ])
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  await testApp.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'away'; end $$`,
  )
  await testApp.pool.query('create trigger refuse before insert on score_runs execute function refuse()')
  await expect(scoreAt(testApp, SATURDAY_NIGHT)).rejects.toThrow('away')
  const viewer = await signIn(testApp)
  const read = async () => (await call(testApp, viewer, 'GET', '/v1/leaderboard/proven')).body
  expect(await read()).toMatchObject({ asOf: THU, entries: [{ username: 'trader1' }] })
  await testApp.pool.query('drop trigger refuse on score_runs')
  for (const _ of ['again', 'and again']) {
    await scoreAt(testApp, SATURDAY_NIGHT)
    expect(await read()).toMatchObject({ asOf: FRI, entries: [{ username: 'trader1' }] })
    expect((await testApp.pool.query('select as_of::text from trader_scores')).rows).toEqual([{ as_of: FRI }])
    expect((await daysOf(testApp, traderId)).length).toBe(4)
  }
})

test('what ended more than 252 sessions ago is no part of a score', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-01-01T00:00:00Z') })
  const [before = '', since = '', both = ''] = await insertTraders(testApp, 3)
  // 300 days without a weekend, from 2026-01-01 to 2026-10-27; the first of the last 252 sessions is 2026-02-18.
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late) select symbol, '2026-01-01'::date + n, 100 + n % 2, false
     from generate_series(0, 299) n, unnest(array['SPY', 'KO']) symbol`,
  )
  const old = {
    symbol: 'KO',
    openedAt: at('2026-01-05'),
    openPrice: 10,
    closedAt: at('2026-02-17'),
    closePrice: 500,
  }
  const young = {
    symbol: 'KO',
    openedAt: at('2026-02-18'),
    openPrice: 100,
    closedAt: at('2026-03-18'),
    closePrice: 100,
  }
  await insertPositions(testApp, [
    { ...old, traderId: before },
    { ...old, traderId: both },
    { ...young, traderId: both },
    { ...young, traderId: since },
  ])
  expect(await scoreAt(testApp, '2026-10-28T04:41:00Z')).toEqual({ asOf: '2026-10-27', traders: 2 })
  const { rows } = await testApp.pool.query(
    'select trader_id, low, middle, high from trader_scores order by trader_id',
  )
  const [one, other] = rows
  expect(rows.map(({ trader_id }) => trader_id)).toEqual([since, both].toSorted())
  expect({ ...one, trader_id: null }).toEqual({ ...other, trader_id: null })
})
