import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { call, makeTrader, open, subscribe, type Trader } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../test/mails/delivery-scenario.ts'
import { type StripeSandbox, startStripeSandbox } from '../../test/money/stripe-sandbox.ts'
import { askFeed, openFeed } from '../../test/open-feed.ts'
import { type QuoteServer, startQuoteServer } from '../../test/prices/quote-server.ts'
import { CALL_CAUSES, MAIL_CAUSES, PUSH_CAUSES } from '../../test/processes/metric-causes.ts'
import { type MetricsPort, openMetricsPort, valueIn } from '../../test/processes/metrics-port.ts'
import { startTcpProxy } from '../../test/processes/tcp-proxy.ts'
import { startTlsFront } from '../../test/processes/tls-front.ts'
import { type PushService, startPushService } from '../../test/pushes/push-service.ts'
import { makeTestRecord } from '../../test/record.ts'
import { runJobs } from '../../test/run-jobs.ts'
import { askStatus } from '../../test/run-operator.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { lookAtFollowersFrom } from '../billing/subscriptions/subscriptions.jobs.ts'
import { registerReader } from '../events/run-readers.ts'
import { mailReader } from '../mail/plan/plan-deliveries.ts'
import { connectDatabase } from '../platform/database/database.ts'
import { readOthersFromReplica } from '../platform/distribution/replica.ts'
import { readEnv } from '../platform/env.ts'
import { runSweeps } from '../platform/sweeps.ts'
import { pushReader } from '../push/send/plan-pushes.ts'
import { enqueue } from '../work/jobs.ts'
import { hourlySweepsOf, paymentTasks, startWorker, sweepsOf } from '../worker.ts'
import { readStatus } from './read-status.ts'

let testApp: TestApp
let delivery: DeliveryScenario
let quotes: QuoteServer
let sandbox: StripeSandbox
let service: PushService
let metrics: MetricsPort
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
  metrics = await openMetricsPort(testApp)
  trader = await makeTrader(testApp)
  follower = await signIn(testApp, { email: 'taken@followers.example' })
  const refused = await signIn(testApp, { email: 'refused@followers.example' })
  for (const person of [follower, refused]) await subscribe(testApp, person, trader)
})

afterAll(async () => {
  await metrics[Symbol.asyncDispose]()
  await delivery[Symbol.asyncDispose]()
  await testApp.close()
  await Promise.all([quotes.close(), sandbox[Symbol.asyncDispose](), service.close()])
})

/** Series that something real has moved away from nothing, with their labels: at the end no other may be exposed. */
const provoked = new Set<string>()

function note(series = '', by: number | null = null): void {
  if (by) provoked.add(plain(series))
}

/** A histogram counts as one series, by whichever of its parts. */
function plain(series: string): string {
  return series
    .replace(/_(bucket|count|sum)(?=\{|$)/, '')
    .replace(/le="[^"]*",?/, '')
    .replace('{}', '')
}

const scrape = () => metrics.scrape()

/** As `valueIn`. */
function noteValue(text: string, series: string): number | null {
  const value = valueIn(text, series)
  note(series, value)
  return value
}

const read = async (series: string) => noteValue(await scrape(), series)

const growth: MetricsPort['growth'] = async (happens, ...series) => {
  const grown = await metrics.growth(happens, ...series)
  for (const [index, by] of grown.entries()) note(series[index], by)
  return grown
}

const since: MetricsPort['since'] = async (before, counter) => {
  const grown = await metrics.since(before, counter)
  for (const [labels, by] of Object.entries(grown)) note(counter + labels, by)
  return grown
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

test('each try at the price provider counts, and one that is not answered counts as a fault of ours', async () => {
  const ask = async () => {
    const preview = (symbol: string) => call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
    quotes.set('GOOD', { price: 10, at: TEST_NOW })
    await preview('GOOD')
    quotes.set('DOWN', (response) => response.writeHead(500).end())
    await preview('DOWN')
    quotes.set('LATER', (response) => response.writeHead(429).end())
    await preview('LATER')
  }
  const [ok, ...others] = await growth(
    ask,
    calls('market', 'ok'),
    calls('market', 'failed'),
    calls('market', 'refused'),
    answers('POST', '/v1/positions/preview', 503),
  )
  // Companies' names are asked for beside prices.
  expect(ok).toBeGreaterThanOrEqual(2)
  expect(others).toEqual([2, 1, 2])
})

test('each try at Stripe counts', async () => {
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

/** Every label that a call, a mail and a notification can have, as the product's types name them, with what provokes it. */
const rows = <Causes extends object>(causes: Causes) =>
  Object.entries(causes) as [string, Causes[keyof Causes]][]

test('a call outside is counted by what became of it and by nothing else, for each outcome there is', async () => {
  for (const [provider, causes] of rows(CALL_CAUSES)) {
    for (const [outcome, cause] of rows(causes)) {
      const before = await scrape()
      await cause({ testApp, delivery, quotes, sandbox, service })
      expect(await since(before, 'tradepost_provider_call_seconds_count')).toEqual({
        [`{provider="${provider}",outcome="${outcome}"}`]: 1,
      })
    }
  }
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
  const { calls, clock, db, dropIdle, provider, settings, url } = testApp
  const { mail } = delivery.settings
  return startWorker({
    db,
    dropIdle,
    databaseUrl: url,
    clock,
    log: silentLog,
    provider,
    calls,
    settings: { ...settings, mail },
  })
}

/** Sends Stripe's event that the account of a seller has changed. */
async function notifyOfStripeEvent(name: string): Promise<void> {
  const { db, settings, app, clock } = testApp
  await db
    .insertInto('stripe_platform')
    .values({ account_id: 'acct_platform', livemode: false, created_at: TEST_NOW })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const seller = await makeTrader(testApp)
  await call(testApp, seller, 'POST', '/v1/accounts/trader')
  const { stripe_account_id: id } = await db
    .selectFrom('payout_accounts')
    .select('stripe_account_id')
    .where('user_id', '=', seller.userId)
    .executeTakeFirstOrThrow()
  const payload = JSON.stringify({
    id: name,
    object: 'v2.core.event',
    type: 'v2.core.account.updated',
    livemode: false,
    created: clock.now().toISOString(),
    related_object: { id, type: 'v2.core.account', url: `/v2/core/accounts/${id}` },
  })
  const secret = settings.stripe.accountsWebhookSecrets[0] ?? ''
  const timestamp = Math.floor(clock.now().getTime() / 1000)
  const { webhooks } = new Stripe('sk_test_of_the_tests')
  const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  const url = '/webhooks/stripe/accounts'
  expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
}

const AWAITED = [
  'tradepost_worker_running',
  'tradepost_reader_events{reader="mail"}',
  'tradepost_reader_events{reader="push"}',
  'tradepost_reader_events{reader="record"}',
  'tradepost_reader_lag_seconds{reader="mail"}',
  'tradepost_reader_lag_seconds{reader="push"}',
  'tradepost_reader_lag_seconds{reader="record"}',
  'tradepost_queue_jobs',
  'tradepost_webhooks',
  'tradepost_webhook_oldest_seconds',
  'tradepost_outbox_mails{lane="sign-in"}',
  'tradepost_outbox_oldest_seconds{lane="sign-in"}',
  'tradepost_outbox_mails{lane="other"}',
  'tradepost_outbox_oldest_seconds{lane="other"}',
]
/** As an operator asks, without a process of its own. */
function status(variables: Record<string, string>) {
  const env = readEnv({
    NODE_ENV: 'test',
    DATABASE_URL: testApp.url,
    AUTH_SECRET: testApp.settings.authSecret,
    ...variables,
  })
  return readStatus(testApp.db, env, testApp.clock.now())
}

test('an operator reads why the mail server cannot be used', async () => {
  const front = await startTlsFront(9, 'implicit')
  front.fault = () => 'stranger'
  const { isWell, text } = await status({ SMTP_URL: front.url })
  await front.close()
  expect(isWell).toBe(false)
  expect(text).toMatch(
    /^! Mail server +The connection to the mail server failed: ECONNECTION a self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. {2}\(TradepostMailsWait\)$/m,
  )
})

test('an operator reads which texts a production lacks, and nothing of it where all are there', async () => {
  const production = { NODE_ENV: 'production', SANDBOX: 'on' }
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-texts-'))
  for (const name of ['terms.md', 'privacy.md']) writeFileSync(join(folder, name), '# Ours')
  const none = await status(production)
  expect(none.isWell).toBe(false)
  expect(none.text).toMatch(
    /^! Texts +terms\.md, privacy\.md, contact\.md are not in TEXTS_DIR: readers see built-in texts {2}\(Terms, privacy and contact\)$/m,
  )
  expect((await status({ ...production, TEXTS_DIR: folder })).text).toMatch(
    /^! Texts +contact\.md is not in TEXTS_DIR/m,
  )
  writeFileSync(join(folder, 'contact.md'), '# Ours')
  expect((await status({ ...production, TEXTS_DIR: folder })).text).not.toContain('Texts')
  expect((await status({})).text, 'development').not.toContain('Texts')
  rmSync(folder, { recursive: true })
})

test('an operator reads that nobody can subscribe while real money meets no terms, or Stripe asks for their address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-texts-'))
  const secrets = {
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_the_tests_too',
  }
  const live = { STRIPE_SECRET_KEY: 'sk_live_1', MARKET_OVERRIDE: 'none', ...secrets }
  const none = await status(live)
  expect(none.isWell).toBe(false)
  expect(none.text).toMatch(
    /^! Subscribing +nobody can: the key takes real money, and TEXTS_DIR has no terms\.md {2}\(Terms, privacy and contact\)$/m,
  )
  expect((await status({ ...live, STRIPE_SECRET_KEY: 'sk_test_1' })).text).not.toContain('Subscribing')
  writeFileSync(join(folder, 'terms.md'), '# Ours')
  expect((await status({ ...live, TEXTS_DIR: folder })).text).not.toContain('Subscribing')
  const { pool } = testApp
  await pool.query(
    `insert into stripe_platform (account_id, livemode, created_at) values ('acct_1', false, $1) on conflict do nothing`,
    [testApp.clock.now()],
  )
  await pool.query("update stripe_platform set terms_refused_at = '2026-03-01T10:00:00Z'")
  expect((await status({})).text).toMatch(
    /^! Subscribing +nobody can since 2026-03-01T10:00:00\.000Z: Stripe asks for the address of the terms in its public details {2}\(Terms, privacy and contact\)$/m,
  )
  await pool.query('update stripe_platform set terms_refused_at = null')
  rmSync(folder, { recursive: true })
})

const readAwaited = async () => {
  const text = await scrape()
  return AWAITED.map((series) => noteValue(text, series))
}

test('work that waits for a worker is exposed with the age of its oldest, until a worker has done it', async () => {
  const { db, clock, pool } = testApp
  const recording = { name: 'record', from: 'the first event' } as const
  for (const { name, from } of [mailReader(db), pushReader(db), recording])
    await registerReader(db, { name, from }, clock.now())
  await notifyOfStripeEvent('evt_1')
  await enqueue(db, lookAtFollowersFrom, { traderId: trader.userId, after: null })
  const { body: push } = await call(testApp, follower, 'GET', '/v1/push')
  const browser = service.subscribe(String(push.publicKey))
  await call(testApp, follower, 'POST', '/v1/push/devices', browser.subscription)
  await authWire(testApp).otp('somebody@people.example')
  await open(testApp, quotes, trader, 'MSFT', 10)
  await call(testApp, follower, 'POST', '/v1/feedback', { feedback: 'A word that somebody waits to read.' })
  await pool.query(
    "insert into customers (user_id, state, retry_at, created_at) values ($1, 'pending', $2, $2)",
    [follower.userId, clock.now()],
  )
  clock.advance(90_000)
  // Jobs count by the database's own time.
  await pool.query("update work set due_at = due_at - interval '90 seconds'")
  // Four jobs: both followers have begun, since which prices are noted for them.
  expect(await readAwaited()).toEqual([0, 1, 1, 1, 90, 90, 90, 4, 1, 90, 1, 90, 1, 90])
  expect(await read('tradepost_queue_oldest_job_seconds')).toBeGreaterThanOrEqual(90)
  const ill = await askStatus(testApp)
  expect(ill.code).toBe(1)
  expect(ill.text).toMatch(/^! Worker +none lives: no mails, no payments {2}\(TradepostNoWorker\)$/m)
  expect(ill.text).toMatch(
    /^! Events to be read by mail +1 waits, the oldest for (?:9\d|\d{3,}) s {2}\(TradepostEventsWait\)$/m,
  )
  expect(ill.text).toMatch(/^ {2}Single mails: sign-in +1 waits, the oldest for (?:9\d|\d{3,}) s$/m)
  expect(ill.text).toMatch(/^Needs a look: TradepostNoWorker, TradepostEventsWait\./m)

  delivery.sink.script = {
    recipient: (address) => (address.startsWith('refused@') ? '550 5.1.1 no such mailbox' : null),
  }
  const [sent, refused, code, pushed, ended, ...byTheirTime] = await growth(
    async () => {
      const worker = await startTestWorker()
      await expect.poll(readAwaited).toEqual([1, ...Array(13).fill(0)])
      await expect.poll(() => service.taken.length).toBe(1)
      await expect.poll(() => delivery.countExceptions("state = 'retry' and refusals = 1")).toBe(1)
      await expect.poll(() => delivery.countRanges('done_at is null')).toBe(0)
      await expect.poll(() => read('tradepost_push_messages')).toBe(0)
      // On a machine that is busy the replica may be too slow to answer for a moment.
      const variables = {
        METRICS_PORT: String(metrics.port),
        DATABASE_READ_URL: testApp.url,
        SMTP_URL: delivery.sink.url,
      }
      const asked = async () => {
        const { isWell, text } = await status(variables)
        return { isWell, text: `\n${text}` }
      }
      await expect.poll(asked).toMatchObject({
        isWell: true,
        text: expect.stringMatching(
          new RegExp(
            [
              '\n {2}Mails of the last day +1, events: 1; half within 90.0 s, 95 % within 90.0 s',
              '\n {2}Mail server +can be used',
              '\n {2}Replica +is used',
              '\n(.*\n)* {2}Its database pool +\\d of 8 in use, 0 waiting',
              '\n(.*\n)*Nothing needs a look\\.$',
            ].join(''),
          ),
        ),
      })
      await worker.stop()
    },
    mails('signal', 'sent'),
    mails('signal', 'refused'),
    mails('single', 'sent'),
    'tradepost_pushes_total{outcome="sent"}',
    'tradepost_event_to_last_mail_seconds_count',
    'tradepost_event_to_last_mail_seconds_bucket{le="60"}',
    'tradepost_event_to_last_mail_seconds_bucket{le="300"}',
  )
  expect({ sent, refused, code, pushed, ended }).toEqual({
    sent: 1,
    refused: 1,
    code: 1,
    pushed: 1,
    ended: 1,
  })
  // After ninety seconds.
  expect(byTheirTime).toEqual([0, 1])
})

/** As `growth`, of what grows while the product's time goes on. */
async function growsInTime(series: string, before: string): Promise<void> {
  const from = noteValue(before, series) ?? 0
  await expect
    .poll(async () => {
      await delivery.advance(1000)
      return ((await read(series)) ?? 0) - from
    })
    .toBeGreaterThan(0)
}

test('mails and notifications that cannot go out are exposed by the reason, and with their age', async () => {
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

/** All services outside answer as they should, until nothing is left to be tried again. */
async function calm(): Promise<void> {
  delivery.sink.script = {}
  service.script = () => null
  const left = `select lease_owner from delivery_ranges where done_at is null union all
    select lease_owner from delivery_exceptions where state = 'retry' union all
    select lease_owner from push_deliveries where ended_at is null union all
    select lease_owner from outbox where ended_at is null`
  const look = async () => {
    const { rows } = await testApp.pool.query<{ lease_owner: number | null }>(left)
    // A leased row would outlive its lease: it would be taken up a second time, and counted after this.
    const isLeased = rows.some(({ lease_owner: owner }) => owner !== null)
    await delivery.advance(rows.length > 0 && !isLeased ? 900_000 : 0)
    return rows.length
  }
  await expect.poll(look, { interval: 10 }).toBe(0)
}

test('a mail and a notification are counted by what became of them and by no other fault, for each outcome there is', async () => {
  const worker = await startTestWorker()
  const cases = [
    ...rows(MAIL_CAUSES).flatMap(([kind, causes]) =>
      rows(causes).map(([outcome, cause]) => ({
        counter: 'tradepost_mails_total',
        labels: `{kind="${kind}",outcome="${outcome}"}`,
        cause,
      })),
    ),
    ...rows(PUSH_CAUSES).map(([outcome, cause]) => ({
      counter: 'tradepost_pushes_total',
      labels: `{outcome="${outcome}"}`,
      cause,
    })),
  ]
  for (const { counter, labels, cause } of cases) {
    await calm()
    const before = await scrape()
    await cause({ testApp, delivery, quotes, sandbox, service })
    const grown = async () => {
      await delivery.advance(0)
      return (await since(before, counter))[labels] ?? 0
    }
    await expect.poll(grown, { interval: 10, message: `${counter}${labels}` }).toBeGreaterThan(0)
    const others = Object.keys(await since(before, counter)).filter((each) => each !== labels)
    // A delivery that is unneeded after its first try was due for another try.
    expect([labels, others]).toEqual([labels, labels.includes('unneeded') ? ['{outcome="later"}'] : []])
  }
  await calm()
  await worker.stop()
})

const GIVEN_UP = [
  'tradepost_reader_events_given_up{reader="mail"}',
  'tradepost_reader_events_given_up{reader="push"}',
  'tradepost_reader_events_given_up{reader="record"}',
  'tradepost_queue_jobs_given_up',
]
const readGivenUp = async () => {
  const text = await scrape()
  return GIVEN_UP.map((series) => noteValue(text, series))
}

test('an event that its readers fail at, and a job that fails, are exposed once they are given up', async () => {
  const { pool, db, clock } = testApp
  expect(await readGivenUp()).toEqual([0, 0, 0, 0])
  await publish(db, { traderId: trader.userId, username: trader.username }, { symbol: 'IBM' }, clock.now())
  // Two readers ask who follows.
  await pool.query('alter table subscriptions rename to hidden')
  await pool.query('alter table record_plan rename to hidden_plan')
  const worker = await startTestWorker()
  const afterNextTry = async () => {
    const { rows } = await pool.query<{ at: Date | null }>(
      'select min(retry_at) as at from event_work where parked_at is null and lease_owner is null',
    )
    const next = rows[0]?.at
    if (next && next > clock.now()) clock.set(next)
    await delivery.advance(0)
    return readGivenUp()
  }
  await expect.poll(afterNextTry, { interval: 10 }).toEqual([1, 1, 1, 0])
  await pool.query('alter table hidden rename to subscriptions')
  await pool.query('alter table hidden_plan rename to record_plan')
  await worker.stop()
  expect(await read('tradepost_reader_events{reader="mail"}')).toBe(0)
  expect(await read('tradepost_record_entries')).toBeGreaterThan(0)
  expect(await read('tradepost_record_checkpoint_age_seconds')).toBeGreaterThanOrEqual(0)

  const tasks = paymentTasks({ ...testApp, log: silentLog }).filter(
    ({ name }) => name === lookAtFollowersFrom.name,
  )
  await enqueue(db, lookAtFollowersFrom, { traderId: trader.userId, after: null })
  await pool.query('alter table subscriptions rename to hidden')
  for (let tries = 0; tries < 25; tries += 1) {
    // Jobs count by the database's own time: what it would wait for is due.
    await pool.query('update work set due_at = now()')
    await runJobs(testApp, tasks)
  }
  await pool.query('alter table hidden rename to subscriptions')
  expect(await readGivenUp()).toEqual([1, 1, 1, 1])
})

test('a sweep and a purge that fail are counted by their names, each of those there are, and exposed from the start', async () => {
  const { calls, provider, settings } = testApp
  // Within the hours of the market: some have nothing to do outside them.
  const clock = makeTestClock(TEST_NOW)
  const away = connectDatabase({ url: 'postgres://127.0.0.1:9/none', size: 1, log: silentLog })
  const deps = { db: away.db, calls, clock, provider, settings, log: silentLog }
  const record = makeTestRecord(deps)
  const sweeps = [...sweepsOf({ ...deps, record }), ...hourlySweepsOf(deps)]
  expect(sweeps.length).toBeGreaterThan(15)
  await (await startTestWorker()).stop()
  const before = await scrape()
  const series = sweeps.map(({ name }) => `tradepost_sweep_faults_total{sweep="${name}"}`)
  expect(series.filter((each) => valueIn(before, each) === null)).toEqual([])
  await runSweeps({ sweeps, clock, log: silentLog })
  await away.close()
  expect(await since(before, 'tradepost_sweep_faults_total')).toEqual(
    Object.fromEntries(sweeps.map(({ name }) => [`{sweep="${name}"}`, 1])),
  )
})

test('a pool without a free connection is seen, and does not keep the figures of the database away', async () => {
  const { pool } = testApp.product
  const taken = await Promise.all(Array.from({ length: 8 }, () => pool.connect()))
  const waiting = pool.query('select 1')
  const text = await scrape()
  for (const client of taken) client.release()
  await waiting
  expect(noteValue(text, 'tradepost_database_pool_size')).toBe(8)
  expect(noteValue(text, 'tradepost_database_connections_in_use')).toBe(8)
  expect(noteValue(text, 'tradepost_database_waiting')).toBe(1)
  expect(noteValue(text, 'tradepost_database_figures_ok')).toBe(1)
})

test('a database that does not answer is left out, and the rest is exposed', async () => {
  await using proxy = await startTcpProxy(testApp.url)
  await using apart = await openMetricsPort(testApp, proxy.url)
  expect(await apart.read('tradepost_queue_jobs')).toBe(await read('tradepost_queue_jobs'))
  proxy.stall()
  const text = await apart.scrape()
  expect(noteValue(text, 'tradepost_database_figures_ok')).toBe(0)
  expect(text).not.toMatch(/^tradepost_(queue|reader|delivery|outbox|push_|webhook|worker)/m)
  expect(text).toMatch(/^tradepost_http_request_seconds_count/m)
  expect(text).toMatch(/^tradepost_process_cpu_seconds_total/m)
  proxy.resume()
})

test('payments of the month, warnings and disputes are counted', async () => {
  const payment = () =>
    testApp.pool.query(
      `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, currency, created_at,
         paid_at, synced_at, warned_at, disputed_at, dispute_status)
       select trader_id, 'in_of_the_month', id, 'paid', 1000, 1000, 'usd', $2, $2, $2, $2, $2, 'lost' from subscriptions
       where trader_id = $1 limit 1`,
      [trader.userId, testApp.clock.now()],
    )
  expect(
    await growth(payment, 'tradepost_card_payments', 'tradepost_card_warnings', 'tradepost_card_disputes'),
  ).toEqual([1, 1, 1])
})

test('whether the replica is used is exposed', async () => {
  const { db: primary, url } = testApp
  const used = readOthersFromReplica({ url, primary, size: 1, log: silentLog })
  await expect.poll(() => read('tradepost_replica_used')).toBe(1)
  await used.close()
  const away = readOthersFromReplica({ url: 'postgres://127.0.0.1:9/none', primary, size: 1, log: silentLog })
  expect(await read('tradepost_replica_used')).toBe(0)
  await away.close()
})

test('a process that has no time for what waits exposes it', async () => {
  await scrape()
  // A delay is the time between two turns, of which the first one after a scrape is only the beginning.
  for (let turn = 0; turn < 4; turn += 1) {
    const until = performance.now() + 80
    while (performance.now() < until);
    await nextTurn()
  }
  expect(await read('tradepost_nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0.06)
})

test('nothing but the metrics is at their port', async () => {
  const at = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${metrics.port}${path}`, { method }).then(({ status }) => status)
  expect([await at('/'), await at('/metrics', 'POST'), await at('/v1/positions')]).toEqual([404, 404, 404])
})

test('no label reveals who somebody is', async () => {
  const text = await scrape()
  expect(text).not.toContain('@')
  for (const secret of [trader.username, trader.userId, follower.sessionId, follower.token])
    expect(text).not.toContain(`"${secret}"`)
})

test('each series that a process exposes was provoked above, each of its labels once', async () => {
  // Node's own series are left out. Labels of a request are no closed list.
  const ofOurs = (await scrape()).match(/^tradepost_(?!nodejs_|process_)\w+(\{[^}]*\})?/gm) ?? []
  const isProvoked = (series: string) =>
    series.startsWith('tradepost_http_request_seconds') || provoked.has(series)
  expect([...new Set(ofOurs.map(plain))].filter((series) => !isProvoked(series))).toEqual([])
})

test('each series that an alarm asks for was provoked above, each of the values that it names', () => {
  const alarms = readFileSync(join(import.meta.dirname, '../../../deploy/alarms.yml'), 'utf8')
  const asked = alarms.match(/\btradepost_\w+(\{[^}]*\})?/g) ?? []
  expect(asked.length).toBeGreaterThan(20)
  const unprovoked = asked
    .flatMap(alternatives)
    .filter((selector) => ![...provoked].some(selectedBy(selector)))
  expect(unprovoked).toEqual([])
})

/** A selector for each of the values that one of its labels may have. */
function alternatives(selector: string): string[] {
  const [, choice = ''] = /=~"([^"]*)"/.exec(selector) ?? []
  return choice.split('|').map((one) => selector.replace(choice, one))
}

/** Whether a series is what Prometheus would select. */
function selectedBy(selector: string) {
  const [, name = '', inside = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(plain(selector)) ?? []
  const matchers = [...inside.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)]
  return (series: string) =>
    series.replace(/\{.*/, '') === name &&
    matchers.every(([, label, operator, asked = '']) => {
      const [, value = ''] = new RegExp(`[{,]${label}="([^"]*)"`).exec(series) ?? []
      return operator === '=~'
        ? new RegExp(`^(?:${asked})$`).test(value)
        : (value === asked) === (operator === '=')
    })
}
