import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { inShort, readActivity } from '../../test/activity.ts'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { statementsOf } from '../../test/database/query-log.ts'
import { makeTrader, moveSubscription, subscribe, type Trader } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import type { DB } from '../platform/database/schema.ts'
import { selectNewest, selectPages, selectReceived, selectUnreadCounts } from './activity.queries.ts'

const EVENTS = 300

/** Each a second after the one before. @param after so many were published before */
async function publishMany(
  testApp: TestApp,
  { userId, username }: Trader,
  count: number,
  after = 0,
): Promise<void> {
  for (let nth = after + 1; nth <= after + count; nth += 1) {
    const now = new Date(TEST_NOW.getTime() + nth * 1000)
    await publish(testApp.db, { traderId: userId, username }, { symbol: `S${nth}` }, now)
  }
}

test('who left a trader long ago still sees what was published before, however much has come since', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const [left, followed] = [await makeTrader(testApp), await makeTrader(testApp)]
  const person = await signIn(testApp)
  const id = await subscribe(testApp, person, left)
  await subscribe(testApp, person, followed)
  await publishMany(testApp, left, 5)
  await moveSubscription(testApp, left, id, 'canceled')
  await publishMany(testApp, left, 30, 5)
  const { rows } = await testApp.pool.query<{ symbol: string }>(
    `select symbol from position_events event join positions on positions.id = position_id where event_no <= 5
    order by event.created_at desc, event_no desc`,
  )
  const opened = rows.map(({ symbol }) => `opened ${symbol}`)
  expect(inShort(await readActivity(testApp, person))).toEqual(opened)
  await publishMany(testApp, followed, 20, 40)
  const page = inShort(await readActivity(testApp, person))
  expect(page.length).toBe(25)
  expect(page.filter((item) => opened.includes(item)).length).toBe(5)
})

test('events are read once for each event of their trader, also for who has followed since the last of them alone', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const trader = await makeTrader(testApp)
  const [old, late] = [await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, old, trader)
  await publishMany(testApp, trader, 30)
  await subscribe(testApp, late, trader)
  await publishMany(testApp, trader, 2, 30)
  const readings = async (sinceLate: number) => {
    const texts = await statementsOf(testApp, async () => {
      expect(inShort(await readActivity(testApp, old)).length).toBe(25)
      expect(inShort(await readActivity(testApp, late)).length).toBe(sinceLate)
      expect(inShort(await readActivity(testApp, trader)).length).toBe(25)
    })
    return texts.filter((text) => /\bposition_events\b/.test(text)).length
  }
  expect(await readings(2)).toBe(1)
  expect(await readings(2)).toBe(0)
  await publishMany(testApp, trader, 1, 32)
  expect(await readings(3)).toBe(1)
})

/** A follower of twenty traders who has never opened Activity; statistics of tables count from when they were empty. */
async function followTwenty(testApp: TestApp): Promise<string> {
  const { pool } = testApp
  await pool.query(
    'vacuum analyze position_events, positions, subscriptions, activity_reads, traders, accounts',
  )
  await pool.query(`insert into users (id, email, created_at, updated_at)
    select gen_random_uuid(), 'p' || n || '@example.com', now(), now() from generate_series(1, 21) n`)
  await pool.query(`insert into accounts (user_id, username, username_set_at, created_at)
    select id, 'p-' || left(id::text, 8), now(), now() from users on conflict do nothing`)
  await pool.query(
    `insert into traders (trader_id, created_at, last_event_no) select id, now(), $1 from users where email <> 'p21@example.com'`,
    [EVENTS],
  )
  await pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
    select trader_id, gen_random_uuid(), 'S' || n, 'one_to_three_weeks', 100, 'ten or more', now(), gen_random_uuid()
    from traders, generate_series(1, $1) n`,
    [EVENTS],
  )
  await pool.query(`insert into position_events (trader_id, event_no, position_id, kind, created_at)
    select trader_id, substring(symbol from 2)::int, id, 'opened', now() + substring(symbol from 2)::int * interval '1 second' from positions`)
  const { rows } = await pool.query<{ id: string }>(
    `insert into subscriptions (trader_id, id, mail_no, subscriber_id, status, entitled_from_event, unsubscribe_token, price_cents, currency,
      started_at)
    select trader_id, gen_random_uuid(), 1, follower.id, 'active', 0, gen_random_uuid()::text, 1000, 'usd', now()
    from traders, users follower where follower.email = 'p21@example.com' returning subscriber_id as id`,
  )
  return rows[0]?.id ?? ''
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

test('the database reads the windows once and no more events than are shown or counted, whatever it knows of its tables', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  const viewerId = await followTwenty(testApp)
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  const traderIds = (await pool.query('select trader_id as id from traders')).rows.map(({ id }) => id)
  expect(await selectUnreadCounts(db, { viewerIds: [viewerId], events: 100 })).toEqual([
    { viewerId, unread: 100 },
  ])
  expect((await selectReceived(db, { viewerIds: [viewerId] })).length).toBe(20)
  expect((await selectNewest(db, { traderIds, limit: 26 })).length).toBe(520)
  const page = { viewerId, limit: 26, at: '', traderId: viewerId, eventNo: 0, ofTrader: null }
  expect((await selectPages.none(db, page)).length).toBe(26)
  const read = []
  for (const { parameters, sql } of asked) {
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters])
    const plan = rows[0]['QUERY PLAN'][0].Plan as Plan & {
      'Shared Hit Blocks': number
      'Shared Read Blocks': number
    }
    const rowsOf = (table: string) =>
      nodesOf(plan)
        .filter((node) => node['Relation Name'] === table)
        .reduce(
          (sum, node) =>
            sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
          0,
        )
    const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    read.push({
      windows: rowsOf('subscriptions'),
      events: Math.round(rowsOf('position_events')),
      fewBlocks: blocks < 4000,
    })
  }
  expect(read).toEqual([
    { windows: 20, events: 100, fewBlocks: true },
    { windows: 20, events: 0, fewBlocks: true },
    { windows: 0, events: 520, fewBlocks: true },
    // Found in the index, and then the page's own.
    { windows: 20, events: 546, fewBlocks: true },
  ])
})
