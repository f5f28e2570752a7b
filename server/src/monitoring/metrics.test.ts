import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authWire } from '../../test/auth-wire.ts'
import { buildTestApp, makeTestClock, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../test/delivery-scenario.ts'
import { call, makeTrader, open, subscribe, type Trader } from '../../test/factories.ts'
import { askFeed, openFeed } from '../../test/open-feed.ts'
import { type PushService, startPushService } from '../../test/push-service.ts'
import { type QuoteServer, startQuoteServer } from '../../test/quote-server.ts'
import { askStatus } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in.ts'
import { type StripeSandbox, startStripeSandbox } from '../../test/stripe-sandbox.ts'
import { startTcpProxy } from '../../test/tcp-proxy.ts'
import { registerReader } from '../events/register-reader.ts'
import { mailReader } from '../mail/broadcast/plan-deliveries.ts'
import { readOthersFromReplica } from '../platform/replica.ts'
import { pushReader } from '../push/plan-pushes.ts'
import { askOnce } from '../quotes/ask-provider.ts'
import { startWorker } from '../worker.ts'
import { serveMetrics } from './serve-metrics.ts'

let testApp: TestApp
let delivery: DeliveryScenario
let quotes: QuoteServer
let sandbox: StripeSandbox
let service: PushService
let metrics: Awaited<ReturnType<typeof serveMetrics>>
let trader: Trader
let follower: SignedIn

beforeAll(async () => {
  const clock = makeTestClock(TEST_NOW)
  ;[quotes, sandbox, service] = await Promise.all([
    startQuoteServer(),
    startStripeSandbox(clock),
    startPushService(),
  ])
  testApp = await buildTestApp({ clock, quotes, stripe: sandbox, settings: { limitsOn: false } })
  delivery = await startDeliveryScenario({ app: testApp })
  metrics = await serveMetrics(depsOf(testApp), { host: '127.0.0.1', port: 0 })
  trader = await makeTrader(testApp)
  follower = await signIn(testApp, { email: 'taken@followers.example' })
  const refused = await signIn(testApp, { email: 'refused@followers.example' })
  for (const person of [follower, refused]) await subscribe(testApp, person, trader)
})

afterAll(async () => {
  await metrics.close()
  await delivery[Symbol.asyncDispose]()
  await testApp.close()
  await Promise.all([quotes.close(), sandbox[Symbol.asyncDispose](), service.close()])
})

const depsOf = ({ clock, pool, url }: TestApp) => ({ pool, databaseUrl: url, clock, log: silentLog })

async function scrape(port = metrics.port): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(answer.status).toBe(200)
  return answer.text()
}

/** What a series says; null where it is absent. @param series as it is written, with its labels */
function valueIn(text: string, series: string): number | null {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

const read = async (series: string) => valueIn(await scrape(), series)

/** By how much series grow while something happens: other tests of the process have counted too. */
async function growth(happens: () => Promise<unknown>, ...series: string[]): Promise<number[]> {
  const before = await scrape()
  await happens()
  const after = await scrape()
  return series.map((each) => (valueIn(after, each) ?? 0) - (valueIn(before, each) ?? 0))
}

const answers = (method: string, route: string, status: number) =>
  `tradepost_http_request_seconds_count{method="${method}",route="${route}",status="${status}"}`
const calls = (provider: string, outcome: string) =>
  `tradepost_provider_call_seconds_count{provider="${provider}",outcome="${outcome}"}`
const mails = (kind: string, outcome: string) => `tradepost_mails_total{kind="${kind}",outcome="${outcome}"}`

test('requests are counted by the pattern of their route and their status, unknown addresses together', async () => {
  const ask = async () => {
    await call(testApp, follower, 'GET', '/v1/positions')
    await call(testApp, null, 'GET', '/v1/positions')
    await call(testApp, follower, 'GET', `/v1/traders/${trader.username}/track-record`)
    await testApp.app.inject('/nothing/here')
    await testApp.app.inject('/nor/there')
  }
  const grown = await growth(
    ask,
    answers('GET', '/v1/positions', 200),
    answers('GET', '/v1/positions', 401),
    answers('GET', '/v1/traders/:username/track-record', 200),
    answers('GET', 'none', 404),
  )
  expect(grown).toEqual([1, 1, 1, 2])
})

test('calls to the price provider are counted by what became of each try', async () => {
  const ask = async () => {
    const preview = (symbol: string) => call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
    quotes.set('GOOD', { price: 10, at: TEST_NOW })
    await preview('GOOD')
    quotes.set('DOWN', (response) => response.writeHead(500).end())
    await preview('DOWN')
    quotes.set('LATER', (response) => response.writeHead(429).end())
    await preview('LATER')
    quotes.set('SILENT', () => undefined)
    const provider = { ...quotes.provider, clock: testApp.clock }
    await expect(askOnce(provider, 'quote?symbol=SILENT', AbortSignal.timeout(50))).rejects.toThrow()
  }
  const outcomes = ['ok', 'failed', 'refused', 'timeout'].map((outcome) => calls('market', outcome))
  const [ok, ...others] = await growth(ask, ...outcomes)
  // Companies' names are asked for beside prices.
  expect(ok).toBeGreaterThanOrEqual(2)
  expect(others).toEqual([2, 1, 1])
})

test('calls to Stripe are counted by what became of each try', async () => {
  await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v2/core/accounts' })
  const seller = await makeTrader(testApp)
  const [ok, failed] = await growth(
    () => call(testApp, seller, 'POST', '/v1/accounts/trader'),
    calls('payments', 'ok'),
    calls('payments', 'failed'),
  )
  expect(ok).toBeGreaterThan(0)
  expect(failed).toBe(1)
})

test('open streams are a gauge, and no request that lasts for hours', async () => {
  const before = (await read('tradepost_streams_open')) ?? 0
  const [counted] = await growth(
    async () => {
      const feed = await openFeed(testApp, follower)
      expect(await read('tradepost_streams_open')).toBe(before + 1)
      // Another one of the session takes its place: the server ends this one.
      const second = await openFeed(testApp, follower)
      await feed.rest()
      await expect.poll(() => read('tradepost_streams_open')).toBe(before + 1)
      second.close()
      await expect.poll(() => read('tradepost_streams_open')).toBe(before)
    },
    answers('GET', '/v1/feed', 200),
  )
  expect(counted).toBe(0)
  expect(
    await growth(
      () => askFeed(testApp, { ...follower, sessionId: trader.sessionId }),
      answers('GET', '/v1/feed', 401),
    ),
  ).toEqual([1])
})

/** A worker on the database of the app, at the mail server of the scenario. */
function startTestWorker(): Promise<{ stop(): Promise<void> }> {
  const { clock, db, dropIdle, settings, url } = testApp
  const { mail } = delivery.settings
  return startWorker({
    db,
    dropIdle,
    databaseUrl: url,
    clock,
    log: silentLog,
    settings: { ...settings, mail },
  })
}

/** Stripe says that the account of a seller has changed. */
async function tellOfStripeEvent(): Promise<void> {
  const { db, settings, app } = testApp
  await db
    .insertInto('stripe_platform')
    .values({ account_id: 'acct_platform', livemode: false, created_at: TEST_NOW })
    .execute()
  const seller = await makeTrader(testApp)
  await call(testApp, seller, 'POST', '/v1/accounts/trader')
  const { stripe_account_id: id } = await db
    .selectFrom('payout_accounts')
    .select('stripe_account_id')
    .where('user_id', '=', seller.userId)
    .executeTakeFirstOrThrow()
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'v2.core.event',
    type: 'v2.core.account.updated',
    livemode: false,
    created: TEST_NOW.toISOString(),
    related_object: { id, type: 'v2.core.account', url: `/v2/core/accounts/${id}` },
  })
  const secret = settings.stripe.accountsWebhookSecrets[0] ?? ''
  const timestamp = TEST_NOW.getTime() / 1000
  const { webhooks } = new Stripe('sk_test_of_the_tests')
  const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  const url = '/webhooks/stripe/accounts'
  expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
}

const AWAITED = [
  'tradepost_worker_running',
  'tradepost_reader_events{reader="mail"}',
  'tradepost_reader_lag_seconds{reader="mail"}',
  'tradepost_reader_lag_seconds{reader="push"}',
  'tradepost_queue_jobs',
  'tradepost_webhooks',
  'tradepost_webhook_oldest_seconds',
  'tradepost_outbox_mails{lane="sign-in"}',
  'tradepost_outbox_oldest_seconds{lane="sign-in"}',
  'tradepost_outbox_mails{lane="other"}',
]
const readAwaited = async () => {
  const text = await scrape()
  return AWAITED.map((series) => valueIn(text, series))
}

test('what waits for a worker is told with the age of its oldest, until a worker has done it', async () => {
  const { db, clock } = testApp
  for (const { name, from } of [mailReader(db), pushReader(db)])
    await registerReader(db, { name, from }, clock.now())
  await tellOfStripeEvent()
  const { body: push } = await call(testApp, follower, 'GET', '/v1/push')
  const browser = service.subscribe(String(push.publicKey))
  await call(testApp, follower, 'POST', '/v1/push/devices', browser.subscription)
  await authWire(testApp).otp('somebody@people.example')
  await open(testApp, quotes, trader, 'MSFT', 10)
  clock.advance(90_000)
  expect(await readAwaited()).toEqual([0, 1, 90, 90, 1, 1, 90, 1, 90, 0])
  expect(await read('tradepost_queue_oldest_job_seconds')).toBeGreaterThanOrEqual(0)
  const ill = await askStatus(testApp)
  expect(ill.code).toBe(1)
  expect(ill.text).toMatch(/^! Worker +none lives: no mails, no payments {2}\(TradepostNoWorker\)$/m)
  expect(ill.text).toMatch(
    /^! Events to be read by mail +1 waits, the oldest for 9\d s {2}\(TradepostEventsWait\)$/m,
  )
  expect(ill.text).toMatch(/^ {2}Single mails: sign-in +1 waits, the oldest for 9\d s$/m)
  expect(ill.text).toMatch(/^Needs a look: TradepostNoWorker, TradepostEventsWait\./m)

  delivery.sink.script = {
    recipient: (address) => (address.startsWith('refused@') ? '550 5.1.1 no such mailbox' : null),
  }
  const [sent, refused, code, pushed, ended] = await growth(
    async () => {
      const worker = await startTestWorker()
      await expect.poll(readAwaited).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      await expect.poll(() => service.taken.length).toBe(1)
      await delivery.untilNothingIsLeft()
      await expect.poll(() => read('tradepost_push_messages')).toBe(0)
      const well = await askStatus(testApp, {
        METRICS_PORT: String(metrics.port),
        DATABASE_READ_URL: testApp.url,
      })
      expect(well.text).toMatch(/^ {2}Replica +is used$/m)
      expect(well.text).toMatch(/^ {2}Its database pool +\d of 8 in use, 0 waiting$/m)
      expect(well.text).toMatch(
        /^ {2}Mails of the last day +1, events: 1; half within 90.0 s, 95 % within 90.0 s$/m,
      )
      expect(well).toMatchObject({ code: 0, text: expect.stringMatching(/^Nothing needs a look\.$/m) })
      await worker.stop()
    },
    mails('signal', 'sent'),
    mails('signal', 'refused'),
    mails('single', 'sent'),
    'tradepost_pushes_total{outcome="sent"}',
    'tradepost_event_to_last_mail_seconds_count',
  )
  expect({ sent, refused, code, pushed, ended }).toEqual({
    sent: 1,
    refused: 1,
    code: 1,
    pushed: 1,
    ended: 1,
  })
})

/** As `growth`, of what grows while the product's time goes on. */
async function growsInTime(series: string, before: string): Promise<void> {
  const from = valueIn(before, series) ?? 0
  await expect
    .poll(async () => {
      await delivery.advance(1000)
      return ((await read(series)) ?? 0) - from
    })
    .toBeGreaterThan(0)
}

test('what cannot go out is told by its reason, and with its age', async () => {
  const before = await scrape()
  delivery.sink.script = { greeting: () => 'vanish' }
  service.script = () => ({ status: 503 })
  await open(testApp, quotes, trader, 'NVDA', 10)
  const worker = await startTestWorker()
  await growsInTime(mails('signal', 'lost'), before)
  await growsInTime('tradepost_pushes_total{outcome="later"}', before)
  testApp.clock.advance(700_000)
  expect(await read('tradepost_delivery_mails')).toBe(2)
  expect(await read('tradepost_delivery_oldest_seconds')).toBeGreaterThanOrEqual(700)
  delivery.sink.script = {
    recipient: (address) =>
      address.startsWith('refused@') ? '550 5.1.1 no such mailbox' : '451 4.7.1 come back later',
  }
  await growsInTime(mails('signal', 'deferred'), before)
  await authWire(testApp).otp('refused@people.example')
  await growsInTime(mails('single', 'refused'), before)
  await worker.stop()
  testApp.clock.advance(7_200_000)
  expect(await read('tradepost_push_messages')).toBe(1)
  expect(await read('tradepost_push_oldest_seconds')).toBeGreaterThan(0)
})

test('what was given up is told', async () => {
  const { pool } = testApp
  // Twenty tries of an event, and twenty-five of a job, take hours.
  await pool.query(
    `insert into event_work (trader_id, reader, event_no, created_at, parked_at)
     select trader_id, 'mail', event_no, created_at, created_at from position_events limit 1`,
  )
  await pool.query("select graphile_worker.add_job('nobody', max_attempts => 1)")
  await pool.query('update graphile_worker._private_jobs set attempts = 1 where max_attempts = 1')
  const text = await scrape()
  expect(valueIn(text, 'tradepost_reader_events_given_up{reader="mail"}')).toBe(1)
  expect(valueIn(text, 'tradepost_reader_events{reader="mail"}')).toBe(0)
  expect(valueIn(text, 'tradepost_queue_jobs_given_up')).toBe(1)
})

test('a pool without a free connection is seen, and does not keep the figures of the database away', async () => {
  const { pool } = testApp
  const taken = await Promise.all(Array.from({ length: 8 }, () => pool.connect()))
  const waiting = pool.query('select 1')
  const text = await scrape()
  for (const client of taken) client.release()
  await waiting
  expect(valueIn(text, 'tradepost_database_pool_size')).toBe(8)
  expect(valueIn(text, 'tradepost_database_connections_in_use')).toBe(8)
  expect(valueIn(text, 'tradepost_database_waiting')).toBe(1)
  expect(valueIn(text, 'tradepost_database_figures_ok')).toBe(1)
})

test('a database that does not answer is left out, and the rest is told', async () => {
  await using proxy = await startTcpProxy(testApp.url)
  const deps = { ...depsOf(testApp), databaseUrl: proxy.url }
  const apart = await serveMetrics(deps, { host: '127.0.0.1', port: 0 })
  expect(valueIn(await scrape(apart.port), 'tradepost_queue_jobs')).toBe(await read('tradepost_queue_jobs'))
  proxy.stall()
  const text = await scrape(apart.port)
  expect(valueIn(text, 'tradepost_database_figures_ok')).toBe(0)
  expect(text).not.toMatch(/^tradepost_(queue|reader|delivery|outbox|push_|webhook|worker)/m)
  expect(text).toMatch(/^tradepost_http_request_seconds_count/m)
  expect(text).toMatch(/^tradepost_process_cpu_seconds_total/m)
  proxy.resume()
  await apart.close()
})

test('whether the replica is used is told', async () => {
  const { db: primary, url } = testApp
  const used = readOthersFromReplica({ url, primary, size: 1, log: silentLog })
  await expect.poll(() => read('tradepost_replica_used')).toBe(1)
  await used.close()
  const away = readOthersFromReplica({ url: 'postgres://127.0.0.1:9/none', primary, size: 1, log: silentLog })
  expect(await read('tradepost_replica_used')).toBe(0)
  await away.close()
})

test('nothing but the metrics is at their port', async () => {
  const at = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${metrics.port}${path}`, { method }).then(({ status }) => status)
  expect([await at('/'), await at('/metrics', 'POST'), await at('/v1/positions')]).toEqual([404, 404, 404])
})

test('no label tells who somebody is', async () => {
  const text = await scrape()
  expect(text).not.toContain('@')
  for (const secret of [trader.username, trader.userId, follower.sessionId, follower.token])
    expect(text).not.toContain(`"${secret}"`)
})
