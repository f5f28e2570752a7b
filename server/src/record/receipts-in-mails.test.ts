import { fromBase64Url } from '@tradepost/record/bytes'
import { checkReceipt } from '@tradepost/record/receipt'
import { expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { listenTo } from '../../test/database/listen-to.ts'
import { close, makeTrader, open, subscribe } from '../../test/factories.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../test/mails/delivery-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { checkLog, makeTestRecord, policyOf, registerRecord } from '../../test/record.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { startDelivery } from '../mail/broadcast/delivery.ts'
import { planDeliveries } from '../mail/plan/plan-deliveries.ts'
import { DatabaseClient } from '../platform/database/database-client.ts'
import { correctPrice } from '../positions/correct/correct-price.ts'
import { sha256, verifyEd25519 } from './hashes.ts'

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')

/** The mail that was taken as the nth, as a reader sees it. */
const mailOf = ({ sink }: DeliveryScenario, nth: number) =>
  (sink.kept[nth]?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
const receiptsIn = (mail: string) =>
  new Set([...mail.matchAll(/\/verify#([\w-]+)/g)].map(([, found]) => found))
const LATE = 'Its receipt is late'

test('the mails of an open, a close and a correction carry receipts that are accepted without a network', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
  await using delivery = await startDeliveryScenario({ app: testApp })
  const { clock, db, pool, settings } = testApp
  const [maria, follower] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'tom')]
  await subscribe(testApp, follower, maria)
  await delivery.startWorker()
  expect((await open(testApp, quotes, maria, 'GLCH', 100)).status).toBe(201)
  await delivery.sink.until(() => delivery.sink.total() === 1)
  clock.set(NEXT_DAY)
  expect((await close(testApp, quotes, maria, 'GLCH', 130)).status).toBe(200)
  await delivery.sink.until(() => delivery.sink.total() === 2)
  const { rows } = await pool.query('select id from positions')
  const given = { id: rows[0].id, end: 'close', price: '90.00', reason: 'Nobody traded at that price.' }
  await correctPrice({ db, secret: makeSecretKey(settings.authSecret) }, given, clock.now())
  await delivery.sink.until(() => delivery.sink.total() === 3)

  const policy = await policyOf(testApp)
  const texts: unknown[] = []
  for (const nth of [0, 1, 2]) {
    const mail = mailOf(delivery, nth)
    expect(mail).toContain('Verify this signal')
    expect(mail).not.toContain(LATE)
    const [receipt = '', ...others] = receiptsIn(mail)
    expect(others, 'both parts of the mail have the same one').toEqual([])
    const bytes = fromBase64Url(receipt) ?? new Uint8Array()
    const checked = await checkReceipt(bytes, policy, { sha256, verify: verifyEd25519 })
    if ('refused' in checked) throw new Error(checked.refused)
    expect(checked).toMatchObject({ index: nth, leaf: { seq: nth + 1 } })
    texts.push(JSON.parse(checked.text).slice(0, 5))
  }
  expect(texts).toEqual([
    ['opened', 'GLCH', '100', 'USD', '2026-03-04T15:00:00.000Z'],
    ['closed', 'GLCH', '130', 'USD', '2026-03-05T15:00:00.000Z'],
    ['adjusted', 'GLCH', 'price', 'close', '90'],
  ])
})

test('a mail waits two seconds for a record that stands still, later ones not at all, and again once it is back', async () => {
  await using testApp = await buildTestApp()
  await using delivery = await startDeliveryScenario({ app: testApp })
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  const traders = await Promise.all(
    ['maria', 'tom', 'jose', 'anna', 'kofi'].map((name) => makeCrowdTrader(pool, name, TEST_NOW)),
  )
  for (const trader of traders) await addFollowers(pool, trader, 1, TEST_NOW)
  await delivery.startWorker()
  const { sink } = delivery
  const isTaken = (count: number) => sink.until(() => sink.total() === count)
  const publishAs = (at: number, symbol: string) =>
    publish(db, traders[at] ?? { traderId: '', username: '' }, { symbol }, clock.now())
  const waiting = async () =>
    (await pool.query('select from delivery_ranges where done_at is null and lease_owner is null')).rowCount

  await pool.query('alter table record_entries rename to record_entries_away')
  for (const at of [0, 1, 2]) {
    await publishAs(at, 'AAPL')
    await delivery.advance(1999)
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 60_000 })
    expect(sink.total()).toBe(at)
    await delivery.advance(1)
    await isTaken(at + 1)
  }
  await publishAs(3, 'AAPL')
  await isTaken(4)
  for (const nth of [0, 1, 2, 3]) {
    const mail = mailOf(delivery, nth)
    expect(mail).toContain(LATE)
    expect(receiptsIn(mail)).toEqual(new Set())
  }

  await pool.query('alter table record_entries_away rename to record_entries')
  await delivery.advanceUntil(60_000, async () => {
    const left = await pool.query("select from event_work where reader = 'record'")
    return left.rowCount === 0
  })
  await publishAs(4, 'AAPL')
  await isTaken(5)
  expect(receiptsIn(mailOf(delivery, 4)).size).toBe(1)
  expect(await checkLog(testApp)).toHaveLength(5)
})

test('a sender looks by itself whether mails have waited long enough for a record that stands still', async () => {
  await using testApp = await buildTestApp()
  await using delivery = await startDeliveryScenario({ app: testApp })
  const { clock, database, settings, sink } = delivery
  await registerRecord(testApp)
  const trader = await makeCrowdTrader(testApp.pool, 'maria', TEST_NOW)
  await addFollowers(testApp.pool, trader, 1, TEST_NOW)
  await publish(testApp.db, trader, { symbol: 'AAPL' }, clock.now())
  await planDeliveries(testApp.db, { traderId: trader.traderId, eventNo: 1 }, clock.now())
  using queries = vi.spyOn(DatabaseClient.prototype, 'query')
  const asked = (name: string) =>
    queries.mock.calls.filter(([config]) => (config as { name?: string }).name === name).length
  const session = { add: () => () => undefined }
  const deps = { ...database, databaseUrl: database.url, session, clock, settings, log: silentLog }
  const sending = await startDelivery(deps)
  // The reserved loop, and the others together.
  await expect.poll(() => Math.min(asked('lease-range') - 1, asked('lease-retries'))).toBeGreaterThan(0)
  clock.advance(2000)
  await sink.until(() => sink.total() === 1)
  await sending.stop()
  expect(mailOf(delivery, 0)).toContain(LATE)
})

test('senders are notified once an event is logged', async () => {
  await using testApp = await buildTestApp()
  const { clock, db, pool } = testApp
  await registerRecord(testApp)
  const trader = await makeCrowdTrader(pool, 'maria', TEST_NOW)
  await publish(db, trader, { symbol: 'AAPL' }, clock.now())
  await using deliveries = await listenTo(testApp.url, 'deliveries')
  const record = makeTestRecord(testApp)
  await record.ensure()
  expect(await deliveries.heard()).toEqual([''])
  await record.ensure()
  expect(await deliveries.heard()).toEqual([''])
})
