import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { statementsOf } from '../../test/database/query-log.ts'
import {
  daysOf,
  insertCloses,
  insertPositions,
  insertTraders,
  letNightsRun,
  scoreAt,
  stopNightsAfter,
} from '../../test/prices/proven-scenario.ts'

/** Two Fridays and the week between, of which nothing is computed but the first. */
const DAYS = [
  '2026-03-05',
  '2026-03-06',
  '2026-03-09',
  '2026-03-10',
  '2026-03-11',
  '2026-03-12',
  '2026-03-13',
]
const WEEK = DAYS.slice(2)
const FIRST_NIGHT = '2026-03-07T04:41:00Z'
const SATURDAY_NIGHT = '2026-03-14T04:41:00Z'

/** Traders with a position each, and a week that is missing. @returns their ids, in order */
async function missAWeek(testApp: TestApp, count: number): Promise<string[]> {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const ids = (await insertTraders(testApp, count)).toSorted()
  await insertCloses(
    testApp,
    DAYS.flatMap((day, nth) => [['SPY', day, 100] as const, ['AAPL', day, 50 + nth] as const]),
  )
  await insertPositions(
    testApp,
    ids.map((traderId) => ({ traderId, symbol: 'AAPL', openedAt: '2026-03-05T15:00:00Z', openPrice: 50 })),
  )
  await scoreAt(testApp, FIRST_NIGHT)
  return ids
}

/** Of each day of the week, how many traders have it. */
async function computed(testApp: TestApp): Promise<number[]> {
  const { rows } = await testApp.pool.query<{ count: number }>(
    `select count(d.trader_id)::int as count from unnest($1::date[]) day left join trader_days d using (day) group by day order by day`,
    [WEEK],
  )
  return rows.map(({ count }) => count)
}

/** Which transaction wrote each row of the week. */
async function writtenBy(testApp: TestApp): Promise<Map<string, string>> {
  const { rows } = await testApp.pool.query<{ row: string; xmin: string }>(
    "select concat_ws(' ', day, trader_id) as row, xmin::text from trader_days where day = any($1::date[])",
    [WEEK],
  )
  return new Map(rows.map(({ row, xmin }) => [row, xmin]))
}

test('a night that is stopped keeps what it has committed, and the next one goes on from there', async () => {
  await using testApp = await buildTestApp()
  const ids = await missAWeek(testApp, 600)
  // Of each session at least two pages.
  await stopNightsAfter(testApp, 5)
  await expect(scoreAt(testApp, SATURDAY_NIGHT)).rejects.toThrow('killed')
  const before = await writtenBy(testApp)
  expect(before.size).toBeGreaterThan(500)
  expect(before.size).toBeLessThanOrEqual(1700)
  await letNightsRun(testApp)

  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await computed(testApp)).toEqual([600, 600, 600, 600, 600])
  const after = await writtenBy(testApp)
  expect([...before].filter(([row, xmin]) => after.get(row) !== xmin)).toEqual([])
  expect(await daysOf(testApp, ids[599] ?? '')).toEqual(await daysOf(testApp, ids[0] ?? ''))
  expect((await testApp.pool.query('select from day_steps')).rowCount).toBe(0)
})

test('nights that are stopped after every page compute a week all the same', async () => {
  await using testApp = await buildTestApp()
  await missAWeek(testApp, 600)
  let nights = 0
  for (let night: unknown = 'killed'; night === 'killed'; nights += 1) {
    await stopNightsAfter(testApp, 1)
    night = await scoreAt(testApp, SATURDAY_NIGHT).catch((error: Error) => error.message)
    await letNightsRun(testApp)
    if (nights > 12) break
  }
  expect(await computed(testApp)).toEqual([600, 600, 600, 600, 600])
  // Ten pages, and two that look for days that have changed since.
  expect(nights).toBeLessThanOrEqual(12)
})

test('what changed while a week was computed in two nights is computed with the second', async () => {
  await using testApp = await buildTestApp()
  const [traderId = ''] = await missAWeek(testApp, 1)
  await stopNightsAfter(testApp, 2)
  await expect(scoreAt(testApp, SATURDAY_NIGHT)).rejects.toThrow('killed')
  await letNightsRun(testApp)
  testApp.clock.set(new Date('2026-03-14T12:00:00Z'))
  await testApp.pool.query(
    "update symbol_days set close = 100, known_at = $1 where symbol = 'AAPL' and day = $2",
    [testApp.clock.now(), DAYS[1]],
  )
  await scoreAt(testApp, '2026-03-15T04:41:00Z')
  const inTwoNights = await daysOf(testApp, traderId)
  await testApp.pool.query('truncate trader_days, trader_scores, score_runs, day_runs, day_steps')
  await scoreAt(testApp, '2026-03-15T04:41:00Z')
  expect(inTwoNights).toEqual(await daysOf(testApp, traderId))
  expect(inTwoNights[0]).toBe('2026-03-06 1 100.0000 100.0000')
})

test('a page of which a statement takes too long is halved until it does not, and one trader who takes too long ends the night', async () => {
  await using testApp = await buildTestApp()
  await missAWeek(testApp, 300)
  // As the server ends one: of more than so many traders at once.
  const limit = (traders: number) =>
    testApp.pool.query(`
      create or replace function end_long() returns trigger language plpgsql as $$
      begin
        if (select count(distinct trader_id) from written) > ${traders} then
          raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
        end if;
        return null;
      end $$`)
  await limit(40)
  await testApp.pool.query(`create trigger end_long after insert on trader_days referencing new table as written
    for each statement execute function end_long()`)
  const statements = await statementsOf(testApp, () => scoreAt(testApp, SATURDAY_NIGHT))
  expect(await computed(testApp)).toEqual([300, 300, 300, 300, 300])
  // Three tries of each session are too large (300, 150 and 75 traders); then at least eight pages of 38.
  expect(statements.filter((text) => text.includes('insert into trader_days')).length).toBeGreaterThanOrEqual(
    5 * 11,
  )

  await testApp.pool.query("delete from trader_days where day > '2026-03-06'")
  await testApp.pool.query("update day_runs set as_of = '2026-03-06'")
  await limit(0)
  await expect(scoreAt(testApp, SATURDAY_NIGHT)).rejects.toThrow('statement timeout')
  await testApp.pool.query('drop trigger end_long on trader_days')
  await scoreAt(testApp, SATURDAY_NIGHT)
  expect(await computed(testApp)).toEqual([300, 300, 300, 300, 300])
})
