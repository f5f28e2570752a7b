import type { TrackRecord } from '@tradepost/contract/track-record'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, subscribe, type Trader } from '../../../test/factories.ts'
import {
  closeActive,
  type GivenClose,
  insertCloses,
  insertPositions,
  scoreAt,
} from '../../../test/prices/proven-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../../positions/correct/adjust-positions.ts'

/** Monday to Friday. */
const WEEK = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'] as const
const [MON, TUE, WED, THU, FRI] = WEEK
const SATURDAY_NIGHT = '2026-03-07T04:41:00Z'

const at = (day: string) => `${day}T15:00:00Z`
const closesOf = (symbol: string, closes: (number | null)[]): GivenClose[] =>
  WEEK.flatMap((day, nth) => (closes[nth] == null ? [] : [[symbol, day, closes[nth]] as const]))

async function setStage(testApp: TestApp, index: (number | null)[] = [100, 101, 102, 103, 104]) {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const trader = await makeTrader(testApp)
  await testApp.pool.query('insert into trader_stats (trader_id) values ($1)', [trader.userId])
  await insertCloses(testApp, closesOf('SPY', index))
  return trader
}

async function trackOf(testApp: TestApp, who: SignedIn, trader: Trader, range = 'all'): Promise<TrackRecord> {
  const path = `/v1/traders/${trader.username}/track-record?range=${range}`
  const { status, body } = await call(testApp, who, 'GET', path)
  expect(status).toBe(200)
  return body as unknown as TrackRecord
}

/** As `2026-03-03 +1.5 of 0.5`. */
const linesOf = ({ days }: TrackRecord) => days.map(({ day, level, index }) => `${day} ${level} of ${index}`)

test('the curve compounds the mean of each day, stays flat without positions, and has the index beside it', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await insertCloses(testApp, [
    ...closesOf('AAPL', [50, 55, 55, 60, 60]),
    ...closesOf('KO', [10, 9, 9, 9, 9]),
  ])
  const { userId: traderId } = trader
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50, closedAt: at(WED), closePrice: 55 },
    {
      traderId,
      symbol: 'KO',
      openedAt: at(TUE),
      openPrice: 10,
      closedAt: '2026-03-04T15:30:00Z',
      closePrice: 9.9,
    },
    {
      traderId,
      symbol: 'AAPL',
      openedAt: at(THU),
      openPrice: 60,
      closedAt: at(FRI),
      closePrice: 63,
    },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  const track = await trackOf(testApp, await signIn(testApp), trader)
  // Tuesday +10 % and -10 %, Wednesday 0 % and +10 %, Thursday 0 % and Friday +5 %.
  expect(linesOf(track)).toEqual([
    `${MON} 0 of 0`,
    `${TUE} 0 of 1`,
    `${WED} 5 of 2`,
    `${THU} 5 of 3`,
    `${FRI} 10.25 of 4`,
  ])
  expect(track).toMatchObject({
    asOf: FRI,
    indexSymbol: 'SPY',
    withOpen: false,
    closedBefore: 0,
    moreCloses: 0,
  })
  expect(track.closes).toEqual([
    { symbol: 'AAPL', opened: '2026-03-03T15:00:00.000Z', closed: '2026-03-04T15:00:00.000Z', gain: 10 },
    { symbol: 'KO', opened: '2026-03-03T15:00:00.000Z', closed: '2026-03-04T15:30:00.000Z', gain: -1 },
    { symbol: 'AAPL', opened: '2026-03-05T15:00:00.000Z', closed: '2026-03-06T15:00:00.000Z', gain: 5 },
  ])
  expect(track.allIn).toEqual({ mean: 4.67, closed: 3, open: 0, stale: 0 })
  // The index from Tuesday to Wednesday 0.990099 %, to Friday 0.9709 %: 9.0099, -1.9901 and 4.0291.
  expect(track.versusIndex).toEqual({ mean: 3.68, positions: 3, missing: 0 })
})

test('an open position within its plan is part of nothing but what its trader and followers see', {
  tags: ['SKILL-02'],
}, async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, [
    ...closesOf('AAPL', [50, 51, 52, 53, 54]),
    ...closesOf('KO', [10, 11, 11, 11, 11]),
  ])
  const { userId: traderId } = trader
  await insertPositions(testApp, [
    { traderId, symbol: 'KO', openedAt: at(TUE), openPrice: 10, closedAt: at(WED), closePrice: 11 },
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50, holdLength: 'less_than_one_week' },
  ])
  const [stranger, follower] = [await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  await scoreAt(testApp, SATURDAY_NIGHT)
  const shown = [`${MON} 0 of 0`, `${TUE} 10 of 0`, `${WED} 10 of 0`, `${THU} 10 of 0`, `${FRI} 10 of 0`]
  // Tuesday is the mean of +10 % and +2 %, Wednesday of 0 % and 1.9608 %.
  const whole = [`${MON} 0 of 0`, `${TUE} 6 of 0`, `${WED} 7.04 of 0`, `${THU} 9.1 of 0`, `${FRI} 11.16 of 0`]
  expect(await trackOf(testApp, stranger, trader)).toMatchObject({
    withOpen: false,
    allIn: { mean: 10, closed: 1, open: 0, stale: 0 },
  })
  expect(linesOf(await trackOf(testApp, stranger, trader))).toEqual(shown)
  for (const who of [trader, follower]) {
    const track = await trackOf(testApp, who, trader)
    expect(linesOf(track)).toEqual(whole)
    expect(track).toMatchObject({ withOpen: true, allIn: { mean: 9, closed: 1, open: 1, stale: 0 } })
  }
  // Its plan of a week is over by a day on the 11th; everybody then sees what it did from the beginning.
  await scoreAt(testApp, '2026-03-11T14:00:00Z')
  expect(linesOf(await trackOf(testApp, stranger, trader))).toEqual(shown)
  await scoreAt(testApp, '2026-03-11T16:00:00Z')
  const late = await trackOf(testApp, stranger, trader)
  expect(linesOf(late)).toEqual(whole)
  expect(late).toMatchObject({ withOpen: false, allIn: { mean: 9, closed: 1, open: 1, stale: 0 } })
})

test('a position is part of what everybody sees from the night after its close, six months and more after 366 days', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [100, 100, 100, 100, 100])
  await insertCloses(testApp, [
    ...closesOf('AAPL', [50, 50, 55, 55, 55]),
    ...closesOf('KO', [10, 10, 10, 10, 8]),
  ])
  const { userId: traderId } = trader
  const stranger = await signIn(testApp)
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50 },
    { traderId, symbol: 'KO', openedAt: at(TUE), openPrice: 10, holdLength: 'more_than_six_months' },
  ])
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  expect(await trackOf(testApp, stranger, trader)).toMatchObject({ days: [], allIn: null, versusIndex: null })
  await closeActive(testApp, { traderId, symbol: 'AAPL', at: at(FRI), price: 55 })
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(linesOf(await trackOf(testApp, stranger, trader))).toEqual([
    `${MON} 0 of 0`,
    `${TUE} 0 of 0`,
    `${WED} 10 of 0`,
    `${THU} 10 of 0`,
    `${FRI} 10 of 0`,
  ])
  await scoreAt(testApp, '2027-03-04T14:00:00Z')
  expect((await trackOf(testApp, await signIn(testApp), trader)).days.at(-1)).toEqual({
    day: FRI,
    level: 10,
    index: 0,
  })
  await scoreAt(testApp, '2027-03-04T16:00:00Z')
  const year = await trackOf(testApp, await signIn(testApp), trader)
  expect(year.days.at(-1)).toEqual({ day: FRI, level: -5.5, index: 0 })
  expect(year.allIn).toEqual({ mean: -5, closed: 1, open: 1, stale: 0 })
})

test('a split inside the curve and a missing day of the index move nothing, and a price that is old is counted as stale', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [100, 100, null, 100, 100])
  await insertCloses(testApp, closesOf('AAPL', [50, 60, null, 30, null]))
  const { userId: traderId } = trader
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50 },
    { traderId, symbol: 'GONE', openedAt: at(MON), openPrice: 10 },
  ])
  testApp.clock.set(new Date(at(THU)))
  await adjustForSplit(testApp.db, { symbol: 'AAPL', ratio: '2:1', day: THU }, testApp.clock.now())
  await insertCloses(testApp, [['SPY', '2026-03-09', 100]])
  await scoreAt(testApp, '2026-03-10T04:41:00Z')
  const track = await trackOf(testApp, trader, trader)
  expect(linesOf(track)).toEqual([
    `${MON} 0 of 0`,
    `${TUE} 10 of 0`,
    `${THU} 10 of 0`,
    `${FRI} 10 of 0`,
    '2026-03-09 10 of 0',
  ])
  // AAPL's last close is of Thursday, within the last four sessions; GONE has never had one.
  expect(track.allIn).toEqual({ mean: 10, closed: 0, open: 2, stale: 1 })
})

test('a close without the index beside it is counted as missing, and those before the first known day are distinguished', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  const { userId: traderId } = trader
  await insertCloses(testApp, closesOf('AAPL', [50, 50, 50, 50, 50]))
  await insertPositions(testApp, [
    {
      traderId,
      symbol: 'AAPL',
      openedAt: at('2026-02-10'),
      openPrice: 50,
      closedAt: at('2026-02-12'),
      closePrice: 60,
    },
    {
      traderId,
      symbol: 'AAPL',
      openedAt: at(TUE),
      openPrice: 50,
      closedAt: at('2026-03-07'),
      closePrice: 51,
    },
  ])
  await insertCloses(testApp, [['SPY', '2026-03-09', 105]])
  await scoreAt(testApp, '2026-03-10T04:41:00Z')
  const track = await trackOf(testApp, trader, trader)
  // Saturday has Friday's index: 104 to Tuesday's 101 is 2.9703 %, less than the position's 2 % by 0.9703.
  expect(track.versusIndex).toEqual({ mean: -0.97, positions: 1, missing: 1 })
  expect(track).toMatchObject({ closedBefore: 1, closes: [{ symbol: 'AAPL', gain: 2 }] })
  expect(track.days[0]?.day).toBe(MON)
})

/** 320 weekdays of an index that stands, and a share that falls from 100 to 60 on the tenth day and stays. */
async function makeYear(testApp: TestApp, traderId: string) {
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late)
     select symbol, day, case when symbol = 'SPY' then 100 when nth < 10 then 100 else 60 end, false
     from (select day::date, row_number() over (order by day) as nth
       from generate_series('2025-01-01'::timestamp, '2026-03-24'::timestamp, '1 day') day where extract(isodow from day) < 6) days,
       unnest('{SPY,AAPL}'::text[]) symbol`,
  )
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: '2025-01-02T15:00:00Z', openPrice: 100 },
    {
      traderId,
      symbol: 'KO',
      openedAt: '2026-01-05T15:00:00Z',
      openPrice: 10,
      closedAt: at('2026-01-06'),
      closePrice: 11,
    },
  ])
}

test('a range is of months before the last session, the fall is the deepest of the range, and an unknown range is refused', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [])
  await makeYear(testApp, trader.userId)
  await scoreAt(testApp, '2026-03-25T04:41:00Z')
  const spans: Record<string, unknown> = {}
  for (const range of ['3m', '1y', 'all']) {
    const { days, drawdown, closes } = await trackOf(testApp, trader, trader, range)
    spans[range] = [days[0]?.day, days.at(-1)?.day, drawdown?.fall, closes.length]
  }
  // The last session before the 25th of December and of March, and the one before the first position.
  expect(spans).toEqual({
    '3m': ['2025-12-24', '2026-03-24', 0, 1],
    '1y': ['2025-03-24', '2026-03-24', 0, 1],
    all: ['2025-01-01', '2026-03-24', -40, 1],
  })
  const whole = await trackOf(testApp, trader, trader, 'all')
  expect(whole.drawdown).toEqual({ fall: -40, from: '2025-01-13', to: '2025-01-14' })
  const path = `/v1/traders/${trader.username}/track-record`
  expect((await call(testApp, trader, 'GET', path)).body).toEqual(
    await trackOf(testApp, trader, trader, '1y'),
  )
  expect(await call(testApp, trader, 'GET', `${path}?range=2y`)).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  expect(await call(testApp, trader, 'GET', '/v1/traders/nobody/track-record')).toMatchObject({
    status: 404,
    body: { code: 'user_not_found' },
  })
})

test('months before the last day of a month end on the last day that the month has', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [])
  const { userId: traderId } = trader
  await insertPositions(testApp, [
    { traderId, symbol: 'AAPL', openedAt: '2026-11-02T15:00:00Z', openPrice: 100 },
  ])
  let next = '2026-11-02'
  const begins: string[] = []
  for (const [last, scoredAt, range] of [
    ['2027-03-31', '2027-04-01T04:41:00Z', '3m'],
    ['2027-05-31', '2027-06-01T04:41:00Z', '3m'],
    ['2028-02-29', '2028-03-01T04:41:00Z', '1y'],
    ['2028-05-31', '2028-06-01T04:41:00Z', '3m'],
  ] as const) {
    await testApp.pool.query(
      `insert into symbol_days (symbol, day, close, late) select symbol, day::date, 100, false
       from generate_series($1::timestamp, $2::timestamp, '1 day') day, unnest('{SPY,AAPL}'::text[]) symbol
       where extract(isodow from day) < 6 on conflict do nothing`,
      [next, last],
    )
    next = last
    await scoreAt(testApp, scoredAt)
    const { asOf, days } = await trackOf(testApp, await signIn(testApp), trader, range)
    begins.push(`${days[0]?.day} to ${asOf}`)
  }
  // The last sessions before the 1st of January, of March, of March again, and of March in a leap year.
  expect(begins).toEqual([
    '2026-12-31 to 2027-03-31',
    '2027-02-26 to 2027-05-31',
    '2027-02-26 to 2028-02-29',
    '2028-02-29 to 2028-05-31',
  ])
})

test('fewer than twenty days with positions have no deepest fall', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await insertCloses(testApp, closesOf('AAPL', [50, 40, 40, 40, 40]))
  await insertPositions(testApp, [
    { traderId: trader.userId, symbol: 'AAPL', openedAt: at(TUE), openPrice: 50 },
  ])
  await scoreAt(testApp, SATURDAY_NIGHT)
  const track = await trackOf(testApp, trader, trader)
  expect(track.days.at(-1)?.level).toBe(-20)
  expect(track.drawdown).toBeNull()
})

test('of very many closes the newest two thousand are marked, and the others counted', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     select $1, gen_random_uuid(), 'S' || n, 'one_to_three_weeks', 100, 'ten or more', '2026-03-03T15:00:00Z', gen_random_uuid(),
       101, 'ten or more', '2026-03-04T15:00:00Z'::timestamptz + n * interval '1 second', gen_random_uuid(), 1
     from generate_series(1, 2003) n`,
    [trader.userId],
  )
  await scoreAt(testApp, SATURDAY_NIGHT)
  const { closes, moreCloses } = await trackOf(testApp, trader, trader)
  expect([closes.length, closes[0]?.symbol, closes.at(-1)?.symbol, moreCloses]).toEqual([
    2000,
    'S4',
    'S2003',
    3,
  ])
})

test('a close on the weekend before a range is marked once and counted once', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp, [])
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late) select 'SPY', day::date, 100, false
     from generate_series('2025-11-03'::timestamp, '2026-03-13'::timestamp, '1 day') day where extract(isodow from day) < 6`,
  )
  const { userId: traderId } = trader
  const opened = { traderId, openedAt: at('2025-12-01'), openPrice: 50, closePrice: 55 }
  // The 13th of December is a Saturday, and three months before the last session is the Sunday after it.
  await insertPositions(testApp, [
    { ...opened, symbol: 'V', closedAt: at('2025-12-13') },
    { ...opened, symbol: 'KO', closedAt: at('2026-03-02') },
  ])
  await scoreAt(testApp, '2026-03-14T04:41:00Z')
  const track = await trackOf(testApp, trader, trader, '3m')
  expect(track.days[0]?.day).toBe('2025-12-12')
  expect(track.closes.map(({ symbol }) => symbol)).toEqual(['V', 'KO'])
  expect(track).toMatchObject({ moreCloses: 0, closedBefore: 0 })
})

test('before the first night the curve is empty, and readers who are not signed in see none', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  expect(await trackOf(testApp, trader, trader)).toEqual({
    asOf: null,
    indexSymbol: 'SPY',
    withOpen: true,
    days: [],
    months: [],
    closedBefore: 0,
    drawdown: null,
    allIn: null,
    versusIndex: null,
    closes: [],
    moreCloses: 0,
  })
  expect((await call(testApp, null, 'GET', `/v1/traders/${trader.username}/track-record`)).status).toBe(401)
})
