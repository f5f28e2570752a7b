import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase, silentLog, withDatabase } from '../../../test/database/database.ts'
import { call, makeTrader, open, subscribe } from '../../../test/factories.ts'
import { publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { startPushService } from '../../../test/pushes/push-service.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { migrate } from '../upgrade/migrate.ts'
import { connectDatabase } from './database.ts'
import { makeDirectClient } from './direct-client.ts'

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** A database whose server shows dates, spans, numbers and bytes as other places do. */
async function openOtherDatabase() {
  const database = await openTestDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const settings = [
    "datestyle = 'German, DMY'",
    "timezone = 'Asia/Kathmandu'",
    "intervalstyle = 'sql_standard'",
    "bytea_output = 'escape'",
    "client_encoding = 'LATIN1'",
    'extra_float_digits = 0',
    'standard_conforming_strings = off',
  ]
  // Over a connection of its own, since those that are open keep what they began with.
  await onServer(database.url, ...settings.map((setting) => `alter database ${name} set ${setting}`))
  return database
}

/** A migrated database with the letters of a language. */
async function openDatabaseIn(language: string) {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(
    serverUrl,
    `create database ${name} template template0 encoding 'UTF8' locale_provider icu icu_locale '${language}'`,
  )
  const url = withDatabase(serverUrl, name)
  await migrate(url, silentLog)
  const database = connectDatabase({ url, size: 8, log: silentLog })
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database.close()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

const SHOWN = `select current_setting('datestyle') || ' ' || current_setting('timezone') || ' ' || current_setting('client_encoding')
  || ' ' || current_setting('standard_conforming_strings') as shown`
const WANTED = 'ISO, MDY UTC UTF8 on'

test('with any settings of the server, every connection to the database has dates in ISO, UTC and UTF-8', async () => {
  await using database = await openOtherDatabase()
  const plain = new pg.Client({ connectionString: database.url })
  await plain.connect()
  expect((await plain.query(SHOWN)).rows).toEqual([{ shown: 'German, DMY Asia/Kathmandu UTF8 off' }])
  await plain.end()
  const connected = connectDatabase({ url: database.url, size: 1, log: silentLog })
  for (const way of [connected.db, connected.pipelined]) {
    const { rows } = await sql<{ at: Date; shown: string }>`
      select ${'2026-03-04T15:00:00.123Z'}::timestamptz as at, (${sql.raw(SHOWN)}) as shown`.execute(way)
    expect(rows).toEqual([{ at: new Date('2026-03-04T15:00:00.123Z'), shown: WANTED }])
  }
  await connected.close()
  const direct = makeDirectClient(database.url)
  await direct.connect()
  expect((await direct.query(SHOWN)).rows).toEqual([{ shown: WANTED }])
  await direct.end()
})

test('on a server with German dates in the zone of Kathmandu an opening comes as event, mail and push', async () => {
  await using database = await openOtherDatabase()
  const quotes = await startQuoteServer()
  const service = await startPushService()
  await using testApp = await buildTestApp({ clock: makeTestClock(TEST_NOW), database, quotes })
  await using delivery = await startDeliveryScenario({ app: testApp })
  await delivery.startWorker()
  const trader = await makeTrader(testApp, 'kathmandu')
  const follower = await signIn(testApp, { email: 'ada@followers.example' })
  await subscribe(testApp, follower, trader)
  const key = await call(testApp, follower, 'GET', '/v1/push')
  const browser = service.subscribe(String(key.body.publicKey))
  const turnedOn = await call(testApp, follower, 'POST', '/v1/push/devices', browser.subscription)
  expect(turnedOn.status).toBe(201)
  const opened = await open(testApp, quotes, trader, 'AAPL', 101.5)
  expect(opened).toMatchObject({ status: 201, body: { position: { openedAt: TEST_NOW.toISOString() } } })
  await expect.poll(() => [delivery.sink.total(), service.taken.length]).toEqual([1, 1])
  expect(service.taken[0]?.message).toMatchObject({ kind: 'opened', symbol: 'AAPL', at: TEST_NOW.getTime() })
  const activity = await call(testApp, follower, 'GET', '/v1/activity')
  expect(activity.body).toMatchObject({ items: [{ at: TEST_NOW.toISOString() }] })
  await service.close()
  await quotes.close()
})

test('in a Turkish database, whose small I has no dot, a name is one name and is found however it is typed', async () => {
  await using database = await openDatabaseIn('tr')
  await using testApp = await buildTestApp({ clock: makeTestClock(TEST_NOW), database })
  expect((await database.pool.query("select lower('ILYAS') as lower")).rows).toEqual([{ lower: 'ılyas' }])
  const trader = await makeTrader(testApp, 'ILYAS')
  // Only traders who have closed something are offered.
  await database.pool.query(
    'insert into trader_stats (trader_id, closed_count, open_count, gain_sum) values ($1, 1, 0, 1)',
    [trader.userId],
  )
  const other = await signIn(testApp, { email: 'ilyas@traders.example' })
  expect(await call(testApp, other, 'POST', '/v1/accounts/username', { username: 'ilyas' })).toMatchObject({
    body: { code: 'username_taken' },
  })
  expect((await call(testApp, other, 'GET', '/v1/accounts/search?username=Ilyas')).body).toMatchObject({
    username: 'ILYAS',
  })
  expect((await call(testApp, other, 'GET', '/v1/accounts/suggestions?username=iL')).body).toMatchObject({
    traders: [{ username: 'ILYAS' }],
  })
  await subscribe(testApp, other, trader)
  const crowd = { traderId: trader.userId, username: 'ILYAS' }
  await publish(database.db, crowd, { symbol: 'IBM' }, TEST_NOW)
  expect((await call(testApp, other, 'GET', '/v1/activity?item=ILYAS.1')).body).toMatchObject({
    items: [{ trader: 'ILYAS', symbol: 'IBM' }],
  })
})

test.for(['LATIN1', 'SQL_ASCII'])(
  'a database in %s is refused before anything is made in it',
  async (encoding) => {
    const serverUrl = inject('postgresUrl')
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await onServer(
      serverUrl,
      `create database ${name} template template0 encoding '${encoding}' locale_provider libc locale 'C'`,
    )
    const url = withDatabase(serverUrl, name)
    await expect(migrate(url, silentLog)).rejects.toThrow(
      `The database "${name}" keeps texts in ${encoding}; Tradepost needs UTF8. Make another one: create database … template template0 encoding 'UTF8'.`,
    )
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    expect((await client.query("select from pg_tables where schemaname = 'public'")).rowCount).toBe(0)
    await client.end()
    await onServer(serverUrl, `drop database ${name} with (force)`)
  },
)
