import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase, silentLog } from '../../test/database.ts'
import { startDeliveryScenario } from '../../test/delivery-scenario.ts'
import { makeTrader, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { signIn } from '../../test/sign-in.ts'
import { connectDatabase } from './database.ts'
import { makeDirectClient } from './direct-client.ts'

/** A database whose server shows dates, spans and bytes as other places do. */
async function openOtherDatabase() {
  const database = await openTestDatabase()
  const name = new URL(database.url).pathname.slice(1)
  // Over a connection of its own, since those that are open keep what they began with.
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const setting of [
    "datestyle = 'German, DMY'",
    "timezone = 'Asia/Kathmandu'",
    "intervalstyle = 'sql_standard'",
    "bytea_output = 'escape'",
    "client_encoding = 'LATIN1'",
  ])
    await client.query(`alter database ${name} set ${setting}`)
  await client.end()
  return database
}

const SHOWN =
  "select current_setting('datestyle') || ' ' || current_setting('timezone') || ' ' || current_setting('client_encoding') as shown"
const WANTED = 'ISO, MDY UTC UTF8'

test('whatever the server is set to, every way to the database has dates in ISO, UTC and UTF-8', async () => {
  await using database = await openOtherDatabase()
  const plain = new pg.Client({ connectionString: database.url })
  await plain.connect()
  expect((await plain.query("select current_setting('datestyle') as shown")).rows).toEqual([
    { shown: 'German, DMY' },
  ])
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

test('on a server with German dates in the zone of Kathmandu an opening is mailed', async () => {
  await using database = await openOtherDatabase()
  const quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ clock: makeTestClock(TEST_NOW), database, quotes })
  await using delivery = await startDeliveryScenario({ app: testApp })
  await delivery.startWorker()
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await signIn(testApp, { email: 'ada@followers.example' }), trader)
  const opened = await open(testApp, quotes, trader, 'AAPL', 101.5)
  expect(opened).toMatchObject({ status: 201, body: { position: { openedAt: TEST_NOW.toISOString() } } })
  await expect.poll(() => delivery.sink.total()).toBe(1)
  await quotes.close()
})
