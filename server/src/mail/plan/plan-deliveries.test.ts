import { expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { addFollowers, type Crowd, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { cutRanges } from './audience.queries.ts'
import { planDeliveries } from './plan-deliveries.ts'

type Database = Awaited<ReturnType<typeof openTestDatabase>>

async function rangesOf(database: Database, crowd: Crowd): Promise<[number, number][]> {
  const { rows } = await database.pool.query<{ from_mail_no: number; to_mail_no: number }>(
    'select from_mail_no, to_mail_no from delivery_ranges where trader_id = $1 order by from_mail_no',
    [crowd.traderId],
  )
  return rows.map((row) => [row.from_mail_no, row.to_mail_no])
}

test('an audience of any size is cut into ranges that touch and do not overlap, once however often it is planned', async () => {
  await using database = await openTestDatabase()
  for (const size of [0, 1, 250, 251, 2500, 2501, 6000]) {
    const crowd = await makeCrowdTrader(database.pool, `crowd${size}`, TEST_NOW)
    await addFollowers(database.pool, crowd, size, TEST_NOW)
    await publish(database.db, crowd, { symbol: 'AAPL' }, TEST_NOW)
    const event = { traderId: crowd.traderId, eventNo: 1 }
    await Promise.all([1, 2, 3].map(() => planDeliveries(database.db, event, TEST_NOW)))
    await planDeliveries(database.db, event, TEST_NOW)
    const ranges = await rangesOf(database, crowd)
    expect(ranges.length).toBe(Math.ceil(size / 250))
    ranges.forEach(([from, to], index) => {
      expect(from).toBe(ranges[index - 1]?.[1] ?? 0)
      expect(to - from).toBeLessThanOrEqual(250)
    })
    expect(ranges.at(-1)?.[1] ?? 0).toBe(size)
    const { rows } = await database.pool.query(
      'select audience_size, planned_at from mail_plans where trader_id = $1',
      [crowd.traderId],
    )
    expect(rows).toEqual([{ audience_size: size, planned_at: TEST_NOW }])
  }
})

test('a planner that died half-way is continued where it stopped', async () => {
  await using database = await openTestDatabase()
  const crowd = await makeCrowdTrader(database.pool, 'crowd', TEST_NOW)
  await addFollowers(database.pool, crowd, 1000, TEST_NOW)
  await publish(database.db, crowd, { symbol: 'AAPL' }, TEST_NOW)
  const event = { traderId: crowd.traderId, eventNo: 1 }
  expect(await cutRanges(database.db, event, { recipients: 500, perRange: 250 }, TEST_NOW)).toBe(500)
  await planDeliveries(database.db, event, TEST_NOW)
  expect(await rangesOf(database, crowd)).toEqual([
    [0, 250],
    [250, 500],
    [500, 750],
    [750, 1000],
  ])
})

test('windows of entitlement, past ones too, decide who is in an audience', async () => {
  await using database = await openTestDatabase()
  const crowd = await makeCrowdTrader(database.pool, 'crowd', TEST_NOW)
  await addFollowers(database.pool, crowd, 6, TEST_NOW)
  await publish(database.db, crowd, { symbol: 'AAPL' }, TEST_NOW)
  await publish(database.db, crowd, { symbol: 'MSFT' }, TEST_NOW)
  const windows: [
    mailNo: number,
    status: string,
    from: number | null,
    until: number | null,
    earlier: string,
  ][] = [
    [1, 'active', 0, null, '{}'], // both
    [2, 'active', 1, null, '{}'], // came after the first
    [3, 'canceled', 0, 1, '{}'], // left after the first
    [4, 'canceled', 0, 0, '{}'], // left before the first
    [5, 'active', 2, null, '{(0,1]}'], // entitled to the first, was away for the second, is back
    [6, 'incomplete', null, null, '{}'], // never paid
  ]
  for (const [mailNo, ...window] of windows) {
    await database.pool.query(
      `update subscriptions set status = $3, entitled_from_event = $4, entitled_until_event = $5,
         earlier_windows = $6 where trader_id = $1 and mail_no = $2`,
      [crowd.traderId, mailNo, ...window],
    )
  }
  const plan = async (eventNo: number) => {
    await planDeliveries(database.db, { traderId: crowd.traderId, eventNo }, TEST_NOW)
    const { rows } = await database.pool.query<{ audience_size: number; last: number }>(
      `select audience_size, (select max(to_mail_no) from delivery_ranges r where r.event_no = e.event_no) as last
       from mail_plans e where event_no = $1`,
      [eventNo],
    )
    return rows[0]
  }
  expect(await plan(1)).toEqual({ audience_size: 3, last: 5 })
  expect(await plan(2)).toEqual({ audience_size: 2, last: 2 })
})
