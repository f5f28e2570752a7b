import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call } from '../../test/factories.ts'
import { insertCloses, insertPositions, insertTraders, scoreAt } from '../../test/prices/proven-scenario.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'

const WEEK = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'] as const
const [MON, TUE, WED, THU, FRI] = WEEK
const SATURDAY_NIGHT = '2026-03-07T04:41:00Z'
const BEFORE = new Date('2026-03-01T00:00:00Z')

const at = (day: string) => `${day}T15:00:00Z`

/** The curve of each trader on the leaderboard, as somebody else is answered. */
async function sparklines(testApp: TestApp): Promise<Record<string, number[] | undefined>> {
  const { status, body } = await call(testApp, await signIn(testApp), 'GET', '/v1/leaderboard')
  expect(status).toBe(200)
  const entries = body.leaderboard as { username: string; sparkline?: number[] }[]
  return Object.fromEntries(entries.map(({ username, sparkline }) => [username, sparkline]))
}

const weekOf = (symbol: string, closes: number[]) =>
  WEEK.map((day, nth) => [symbol, day, closes[nth] ?? 0] as const)

/** Closed after the last session, so that everybody may know of it, and it counts to the end. */
const AFTERWARDS = { closedAt: '2026-03-07T01:00:00Z', closePrice: 100 }

/** A closed position in KO of the Tuesday, which moves nothing: without one nobody is ranked. */
const closed = (traderId: string) => ({
  traderId,
  symbol: 'KO',
  openedAt: at(MON),
  openPrice: 10,
  closedAt: at(TUE),
  closePrice: 10,
})

test('the night draws the curve of equal stakes from the trader’s first day, flat where nothing is open', {
  tags: ['LEAD-13'],
}, async () => {
  await using testApp = await buildTestApp({ now: BEFORE })
  const [up = '', both = '', rests = '', oneDay = '', none = ''] = await insertTraders(testApp, 5)
  await insertCloses(testApp, weekOf('SPY', [100, 100, 100, 100, 100]))
  await insertCloses(testApp, weekOf('KO', [10, 10, 10, 10, 10]))
  await insertCloses(testApp, weekOf('UP', [100, 110, 121, 121, 133.1]))
  await insertCloses(testApp, weekOf('DOWN', [100, 90, 90, 45, 45]))
  await insertPositions(testApp, [
    closed(up),
    { traderId: up, symbol: 'UP', openedAt: at(WED), openPrice: 110, ...AFTERWARDS },
    // Each day's mean of both: 0, then 10 and -50, then 10 and 0.
    closed(both),
    { traderId: both, symbol: 'UP', openedAt: at(TUE), openPrice: 110, ...AFTERWARDS },
    { traderId: both, symbol: 'DOWN', openedAt: at(TUE), openPrice: 90, ...AFTERWARDS },
    { ...closed(rests), symbol: 'UP', openPrice: 100, closePrice: 121, closedAt: at(WED) },
    // Open within its plan: for followers alone (ADR 0054).
    { traderId: rests, symbol: 'DOWN', openedAt: at(WED), openPrice: 90 },
    { ...closed(oneDay), openedAt: at(THU), closedAt: at(FRI) },
    { ...closed(none), openedAt: '2026-02-02T15:00:00Z', closedAt: '2026-02-03T15:00:00Z' },
  ])
  expect(await sparklines(testApp)).toMatchObject({ trader1: undefined, trader2: undefined })
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await sparklines(testApp)).toEqual({
    trader1: [100, 100, 110, 110, 121],
    // Tuesday 0, 0, 0 of three; Wednesday 10 and 0; Thursday 0 and -50; Friday 10 and 0.
    trader2: [100, 100, 105, 78.8, 82.7],
    trader3: [100, 110, 121, 121, 121],
    trader4: [100, 100, 100],
    trader5: undefined,
  })
})

test('a trader with a single day has no curve, and one whose days are over 252 sessions ago loses it', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-01-01T00:00:00Z') })
  const [once = '', before = ''] = await insertTraders(testApp, 2)
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late) select symbol, '2026-01-01'::date + n, 100, false
     from generate_series(0, 299) n, unnest(array['SPY', 'KO']) symbol`,
  )
  await insertPositions(testApp, [
    // The first day of the index is none of a trader's.
    { ...closed(once), openedAt: at('2026-01-01'), closedAt: at('2026-01-02') },
    { ...closed(before), openedAt: at('2026-01-05'), closedAt: at('2026-01-08') },
  ])
  await scoreAt(testApp, '2026-01-10T04:41:00Z')
  expect(await sparklines(testApp)).toEqual({ trader1: undefined, trader2: expect.any(Array) })
  await scoreAt(testApp, '2026-10-28T04:41:00Z')
  expect(await sparklines(testApp)).toEqual({ trader1: undefined, trader2: undefined })
})

test('a year has thirty levels beside the first one, as far apart as sessions allow, and ends with the last', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-01-01T00:00:00Z') })
  const [traderId = ''] = await insertTraders(testApp, 1)
  // Every day a tenth of the opening price more; the position is open from the 61st session on, for 80 of them.
  await testApp.pool.query(
    `insert into symbol_days (symbol, day, close, late) select symbol, '2026-01-01'::date + n, case symbol when 'KO' then 100 + n else 100 end, false
     from generate_series(0, 139) n, unnest(array['SPY', 'KO']) symbol`,
  )
  await insertPositions(testApp, [
    {
      ...closed(traderId),
      openedAt: at('2026-03-02'),
      closedAt: at('2026-03-03'),
      openPrice: 160,
      closePrice: 160,
    },
    { traderId, symbol: 'KO', openedAt: at('2026-03-04'), openPrice: 162 },
  ])
  await scoreAt(testApp, '2026-05-21T04:41:00Z')
  const levels = (await sparklines(testApp)).trader1 ?? []
  expect(levels.length).toBe(31)
  expect(levels[0]).toBe(100)
  // The last session is 2026-05-20: KO closed at 239, and the position began at 162.
  expect(levels.at(-1)).toBe(147.5)
  expect(levels.toSorted((one, other) => one - other)).toEqual(levels)
})

test('a split and a close that becomes known late draw the curve again', async () => {
  await using testApp = await buildTestApp({ now: BEFORE })
  const [traderId = ''] = await insertTraders(testApp, 1)
  await insertCloses(testApp, weekOf('SPY', [100, 100, 100, 100, 100]))
  await insertCloses(testApp, weekOf('KO', [10, 10, 10, 10, 10]))
  await insertCloses(testApp, [
    ['UP', MON, 100],
    ['UP', TUE, 110],
    ['UP', THU, 11],
    ['UP', FRI, 12.1],
  ])
  await insertPositions(testApp, [
    closed(traderId),
    // Past its plan by a day on the 11th.
    { traderId, symbol: 'UP', openedAt: at(TUE), openPrice: 110, holdLength: 'less_than_one_week' },
  ])
  await scoreAt(testApp, '2026-03-12T04:41:00Z')
  expect(await sparklines(testApp)).toEqual({ trader1: [100, 100, 100, 10, 11] })
  testApp.clock.set(new Date('2026-03-12T12:00:00Z'))
  await adjustForSplit(testApp.db, { symbol: 'UP', ratio: '10:1', day: THU }, testApp.clock.now())
  await scoreAt(testApp, '2026-03-13T04:41:00Z')
  expect(await sparklines(testApp)).toEqual({ trader1: [100, 100, 100, 100, 110] })
  testApp.clock.set(new Date('2026-03-13T12:00:00Z'))
  await insertCloses(testApp, [['UP', WED, 132]])
  await scoreAt(testApp, '2026-03-14T04:41:00Z')
  expect(await sparklines(testApp)).toEqual({ trader1: [100, 100, 120, 100, 110] })
})

test('a gain that no number holds stops neither the night nor the list', async () => {
  await using testApp = await buildTestApp({ now: BEFORE })
  const [traderId = ''] = await insertTraders(testApp, 1)
  await insertCloses(testApp, weekOf('SPY', [100, 100, 100, 100, 100]))
  await insertCloses(testApp, weekOf('KO', [10, 10, 10, 10, 10]))
  await insertPositions(testApp, [closed(traderId)])
  await scoreAt(testApp, '2026-03-06T04:41:00Z')
  // -100 % is what a loss of all but nothing is rounded to.
  for (const day_return of ['-100', '9999999999999']) {
    await testApp.pool.query(
      `insert into trader_days (trader_id, day, positions, day_return, shown_return)
       select $1, '2025-01-01'::date + n, 1, $2, $2 from generate_series(1, 60) n
       on conflict (trader_id, day) do update set shown_return = excluded.shown_return`,
      [traderId, day_return],
    )
    await testApp.pool.query(
      `insert into symbol_days (symbol, day, close, late) select 'SPY', '2025-01-01'::date + n, 100, false
       from generate_series(0, 60) n on conflict do nothing`,
    )
    await scoreAt(testApp, SATURDAY_NIGHT)
    expect((await sparklines(testApp)).trader1?.length).toBe(31)
  }
})
