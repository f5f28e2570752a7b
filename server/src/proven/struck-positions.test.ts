import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call, subscribe } from '../../test/factories.ts'
import {
  daysOf,
  type GivenPosition,
  insertCloses,
  insertPositions,
  insertTraders,
  scoreAt,
} from '../../test/prices/proven-scenario.ts'
import { runOperator } from '../../test/run-operator.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { recountStatistics } from '../positions/record/recount-statistics.ts'

const WEEK = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
const SATURDAY_NIGHT = '2026-03-07T04:41:00Z'
const SUNDAY_NIGHT = '2026-03-08T04:41:00Z'

/** Two traders of a week; with `glitches` the first has a third close, an unsettled one and one past its plan beside. */
async function setStage(testApp: TestApp, { glitches }: { glitches: boolean }): Promise<string> {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const [one = '', two = ''] = await insertTraders(testApp, 2)
  const closes = {
    SPY: [100, 101, 100, 101, 100],
    UP: [10, 11, 12, 13, 14],
    DOWN: [10, 9, 8, 7, 6],
    GLCH: [10, 40, 10, 10, 10],
    LATE: [10, 20, 30, 40, 50],
    LONG: [10, 9, 9, 9, 9],
  }
  await insertCloses(
    testApp,
    Object.entries(closes).flatMap(([symbol, of]) =>
      of.map((close, nth) => [symbol, WEEK[nth] ?? '', close] as const),
    ),
  )
  const closed = { openedAt: '2026-03-02T15:00:00Z', openPrice: 10, closedAt: '2026-03-06T15:00:00Z' }
  const ofGlitches: GivenPosition[] = [
    { traderId: one, symbol: 'GLCH', ...closed, closePrice: 9_999_999 },
    { traderId: one, symbol: 'LATE', ...closed, closePrice: 50, unsettled: true },
    {
      traderId: one,
      symbol: 'LONG',
      openedAt: '2026-01-05T15:00:00Z',
      openPrice: 10,
      holdLength: 'less_than_one_week',
    },
  ]
  await insertPositions(testApp, [
    { traderId: one, symbol: 'UP', ...closed, closePrice: 14 },
    { traderId: one, symbol: 'DOWN', ...closed, closedAt: '2026-03-04T15:00:00Z', closePrice: 8 },
    { traderId: two, symbol: 'DOWN', ...closed, closePrice: 6 },
    ...(glitches ? ofGlitches : []),
  ])
  await recountStatistics(testApp.db)
  await scoreAt(testApp, SATURDAY_NIGHT)
  return one
}

async function strikeGlitches(testApp: TestApp, traderId: string): Promise<void> {
  const { rows } = await testApp.pool.query<{ id: string }>(
    "select id from positions where trader_id = $1 and symbol in ('GLCH', 'LATE', 'LONG')",
    [traderId],
  )
  for (const { id } of rows)
    expect(await runOperator(testApp, 'positions:strike', id, 'No', 'price.')).toBe('Struck.\n')
}

/** Everything that is counted of the first trader, as a follower sees it, and of all; without the fields that only lists have. */
async function countedOf(testApp: TestApp, traderId: string) {
  const who = await signIn(testApp)
  await subscribe(testApp, who, { ...who, userId: traderId })
  const read = async (path: string) => {
    const { body, status } = await call(testApp, who, 'GET', path)
    expect({ status, ...body }).toMatchObject({ status: 200 })
    return body
  }
  const { latestPositions, ...profile } = await read('/v1/accounts/profile?username=trader1')
  return {
    profile,
    track: await read('/v1/traders/trader1/track-record?range=all'),
    board: await read('/v1/leaderboard'),
    proven: await read('/v1/leaderboard/proven'),
    days: await daysOf(testApp, traderId),
  }
}

test('after the next night curve, days, Proven and boards are as if struck positions had never been', async () => {
  await using testApp = await buildTestApp()
  await using without = await buildTestApp()
  const trader = await setStage(testApp, { glitches: true })
  const same = await setStage(without, { glitches: false })
  const counted = await countedOf(testApp, trader)
  expect(counted.proven.entries).toContainEqual(expect.objectContaining({ username: 'trader1', overdue: 1 }))
  expect(counted.track.allIn).toMatchObject({ closed: 3, open: 2 })

  await strikeGlitches(testApp, trader)
  const known = await countedOf(testApp, trader)
  const meant = await countedOf(without, same)
  expect(known.profile).toEqual(meant.profile)
  for (const name of ['allIn', 'versusIndex', 'closes', 'moreCloses'])
    expect(known.track[name], name).toEqual(meant.track[name])
  expect(known.days, 'the night counts days').not.toEqual(meant.days)

  await scoreAt(testApp, SUNDAY_NIGHT)
  await scoreAt(without, SUNDAY_NIGHT)
  expect(await countedOf(testApp, trader)).toEqual(await countedOf(without, same))
  expect(await recountStatistics(testApp.db)).toBe(0)
})
