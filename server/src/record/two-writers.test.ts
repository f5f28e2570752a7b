import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { startTcpProxy } from '../../test/processes/tcp-proxy.ts'
import { checkLog, makeTestRecord, registerRecord } from '../../test/record.ts'
import { connectDatabase } from '../platform/database/database.ts'

const TRADERS = ['maria', 'tom', 'jose', 'anna', 'kofi', 'lena', 'omar', 'yuki']

const makeTraders = ({ pool }: TestApp) =>
  Promise.all(TRADERS.map((name) => makeCrowdTrader(pool, name, TEST_NOW)))

/** The numbers of each trader's published events, as the log's plan has them in its order. */
async function orderOf({ pool }: TestApp) {
  const { rows } = await pool.query(
    'select array_agg(event_no::int order by log_index) as numbers from record_plan group by trader_id',
  )
  return rows.map(({ numbers }) => numbers)
}

test('two processes that write while eight people publish leave one log, without a gap and in the order of each', async () => {
  await using testApp = await buildTestApp()
  const { clock, db } = testApp
  await registerRecord(testApp)
  const writers = [makeTestRecord(testApp), makeTestRecord(testApp)]
  const traders = await makeTraders(testApp)
  let publishing = true
  const published = Promise.all(
    traders.map(async (trader, at) => {
      for (let nth = 0; nth < 20; nth += 1) {
        // Clocks of processes disagree, by as much as a leaf may lie behind another.
        const now = new Date(clock.now().getTime() + ((at * 7 + nth * 13) % 41) * 1000 - 20_000)
        await publish(db, trader, { symbol: `AA${nth}` }, now)
      }
    }),
  ).finally(() => {
    publishing = false
  })
  await Promise.all(
    writers.map(async (writer) => {
      while (publishing) await writer.ensure()
    }),
  )
  await published
  await writers[0]?.ensure()
  const entries = await checkLog(testApp)
  expect(entries).toHaveLength(160)
  expect(await orderOf(testApp)).toEqual(Array(8).fill(Array.from({ length: 20 }, (_, nth) => nth + 1)))
  for (const { at } of entries) expect(at).toBeLessThanOrEqual(clock.now().getTime())
})

test('a writer whose database sessions are ended in the middle loses no event and logs none twice', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool, url } = testApp
  await registerRecord(testApp)
  const own = connectDatabase({ url: `${url}?application_name=writer`, size: 2, log: silentLog })
  const [killed, other] = [makeTestRecord({ ...testApp, db: own.db }), makeTestRecord(testApp)]
  const traders = await makeTraders(testApp)
  let publishing = true
  let [ends, failures] = [0, 0]
  const write = async () => {
    while (publishing) await killed.ensure().catch(() => (failures += 1))
  }
  const end = async () => {
    while (publishing) {
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'writer' and datname = current_database() and state <> 'idle'`,
      )
      ends += rowCount ?? 0
    }
  }
  const publishAll = async () => {
    for (let nth = 0; nth < 25; nth += 1)
      await Promise.all(traders.map((trader) => publish(db, trader, { symbol: `AA${nth}` }, clock.now())))
    publishing = false
  }
  await Promise.all([write(), end(), publishAll()])
  expect(ends).toBeGreaterThan(0)
  expect(failures).toBeGreaterThan(0)
  await other.ensure()
  expect(await checkLog(testApp)).toHaveLength(200)
  expect(await orderOf(testApp)).toEqual(Array(8).fill(Array.from({ length: 25 }, (_, nth) => nth + 1)))
  await own.close()
})

test('a batch that is rolled back after it was signed is in no file, no table and no answer', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  const record = makeTestRecord(testApp)
  const [maria] = await makeTraders(testApp)
  if (!maria) throw new Error('nobody publishes')
  await publish(db, maria, { symbol: 'AAPL' }, clock.now())
  await record.ensure()
  const checkpoint = async () => (await testApp.app.inject('/record/checkpoint')).body
  const before = { note: await checkpoint(), file: record.readFile() }
  expect(before.file).toBe(before.note)

  // The commit itself fails, behind everything that the transaction did.
  await pool.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'no commit today'; end $$;
    create constraint trigger fails after insert on record_plan deferrable initially deferred
      for each row execute function fail()`)
  await publish(db, maria, { symbol: 'MSFT' }, clock.now())
  await expect(record.ensure()).rejects.toThrow('no commit today')
  expect({ note: await checkpoint(), file: record.readFile() }).toEqual(before)
  expect((await testApp.app.inject('/record/tile/0/000.p/2')).statusCode).toBe(404)

  await pool.query('drop trigger fails on record_plan')
  clock.advance(1000)
  await record.ensure()
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual(['AAPL', 'MSFT'])
  expect(record.readFile()).toBe(await checkpoint())
})

test('a commit whose answer is lost forks nothing: the next run goes on what the database has', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  await using proxy = await startTcpProxy(testApp.url)
  const own = connectDatabase({ url: proxy.url, size: 1, log: silentLog })
  const record = makeTestRecord({ ...testApp, db: own.db })
  const [maria] = await makeTraders(testApp)
  if (!maria) throw new Error('nobody publishes')
  await publish(db, maria, { symbol: 'AAPL' }, clock.now())
  await record.ensure()
  const file = record.readFile()

  await publish(db, maria, { symbol: 'MSFT' }, clock.now())
  const lost = proxy.loseAnswerTo('commit')
  const run = record.ensure().then(
    () => 'ended',
    () => 'failed',
  )
  await lost
  await expect
    .poll(async () => (await pool.query('select size::int from record_head')).rows)
    .toEqual([{ size: 2 }])
  expect(record.readFile()).toBe(file)
  proxy.cut()
  expect(await run).toBe('failed')

  await publish(db, maria, { symbol: 'NVDA' }, clock.now())
  await record.ensure()
  expect((await checkLog(testApp)).map(({ text }) => text?.[1])).toEqual(['AAPL', 'MSFT', 'NVDA'])
  expect(record.readFile()).toBe((await testApp.app.inject('/record/checkpoint')).body)
  await own.close()
})
