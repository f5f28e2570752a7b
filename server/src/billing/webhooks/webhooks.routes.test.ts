import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { makeTrader, readTables } from '../../../test/factories.ts'

const NEWER = 'whsec_that_replaces_the_other_one'
const base = await buildTestApp()
await base.close()
const stripeSettings = base.settings.stripe
const OLDER = stripeSettings.webhookSecrets[0] ?? ''
const ACCOUNTS = stripeSettings.accountsWebhookSecrets[0] ?? ''
const testApp = await buildTestApp({
  settings: { stripe: { ...stripeSettings, webhookSecrets: [NEWER, OLDER] } },
})
afterAll(() => testApp.close())
await testApp.db
  .insertInto('stripe_platform')
  .values({ account_id: 'acct_platform', livemode: false, created_at: TEST_NOW })
  .execute()

const PLATFORM_URL = '/webhooks/stripe'
const ACCOUNTS_URL = '/webhooks/stripe/accounts'
const NOW_SECONDS = TEST_NOW.getTime() / 1000
const { webhooks } = new Stripe('sk_test_of_the_tests')

let events = 0
function snapshot(changes: object = {}): Record<string, unknown> {
  events += 1
  return {
    id: `evt_${events}`,
    object: 'event',
    type: 'invoice.paid',
    livemode: false,
    api_version: Stripe.API_VERSION,
    created: NOW_SECONDS,
    data: { object: { id: 'in_1', object: 'invoice' } },
    ...changes,
  }
}
function thin(changes: object = {}): Record<string, unknown> {
  events += 1
  return {
    id: `evt_test_${events}`,
    object: 'v2.core.event',
    type: 'v2.core.account.updated',
    livemode: false,
    created: TEST_NOW.toISOString(),
    related_object: { id: 'acct_trader', type: 'v2.core.account', url: '/v2/core/accounts/acct_trader' },
    ...changes,
  }
}

const sign = (payload: string, secret = OLDER, timestamp = NOW_SECONDS) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp })

async function send(url: string, payload: string, signature: string | undefined, type = 'application/json') {
  const headers = { 'content-type': type, ...(signature !== undefined && { 'stripe-signature': signature }) }
  const { statusCode, json } = await testApp.app.inject({ method: 'POST', url, headers, payload })
  return { status: statusCode, body: json() }
}

const post = (event: object, secret?: string) => {
  const payload = JSON.stringify(event)
  return send(PLATFORM_URL, payload, sign(payload, secret))
}
const rowOf = (id: unknown) =>
  testApp.db.selectFrom('stripe_events').selectAll().where('event_id', '=', String(id)).executeTakeFirst()
/** How many rows of an event a worker would be given now. */
async function dueOf(id: unknown): Promise<number> {
  const { rowCount } = await testApp.pool.query(
    'select from stripe_events where event_id = $1 and due_at <= $2 and lease_owner is null',
    [id, TEST_NOW],
  )
  return rowCount ?? 0
}

test('an event is kept once and is due, however often it comes, and nothing of its content', async () => {
  const event = snapshot()
  for (let time = 0; time < 3; time += 1)
    expect(await post(event)).toEqual({ status: 200, body: { received: true } })
  expect(await rowOf(event.id)).toEqual({
    event_id: event.id,
    endpoint: 'platform',
    type: 'invoice.paid',
    object_id: 'in_1',
    api_version: Stripe.API_VERSION,
    state: 'received',
    attempts: 0,
    error: null,
    refused_at: null,
    received_at: TEST_NOW,
    due_at: TEST_NOW,
    processed_at: null,
    lease_owner: null,
    leased_at: null,
  })
  expect(await dueOf(event.id)).toBe(1)
})

test('five deliveries at once are one event', async () => {
  const event = snapshot()
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(event)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(await dueOf(event.id)).toBe(1)
})

test('an event that is done is acknowledged, and done no second time', async () => {
  const event = snapshot()
  await post(event)
  await testApp.pool.query("update stripe_events set state = 'done', due_at = null where event_id = $1", [
    event.id,
  ])
  expect((await post(event)).status).toBe(200)
  expect(await dueOf(event.id)).toBe(0)
})

test('an event that was not asked for is acknowledged and left alone', async () => {
  const event = snapshot({ type: 'customer.discount.created' })
  expect((await post(event)).status).toBe(200)
  expect(await rowOf(event.id)).toMatchObject({ state: 'ignored', due_at: null, processed_at: TEST_NOW })
  expect(await dueOf(event.id)).toBe(0)
})

test('each secret holds while one replaces another, also beside signatures of others', async () => {
  for (const secret of [NEWER, OLDER]) expect((await post(snapshot(), secret)).status).toBe(200)
  const payload = JSON.stringify(snapshot())
  const [time, ours] = sign(payload).split(',')
  const header = `${time},v1=${'0'.repeat(64)},${ours},v0=${'1'.repeat(64)}`
  expect((await send(PLATFORM_URL, payload, header)).status).toBe(200)
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
  'the bytes of a webhook count, not what the header %s declares',
  async (type) => {
    const payload = JSON.stringify(snapshot())
    expect((await send(PLATFORM_URL, payload, sign(payload), type)).status).toBe(200)
  },
)

test('a webhook may be five minutes old, and five minutes ahead', async () => {
  for (const seconds of [-300, 300]) {
    const payload = JSON.stringify(snapshot())
    expect((await send(PLATFORM_URL, payload, sign(payload, OLDER, NOW_SECONDS + seconds))).status).toBe(200)
  }
})

test('an event about a trader names their account, or is looked up later', async () => {
  const events = [thin(), thin({ context: 'acct_trader' }), thin({ context: 'org_1/acct_platform' })]
  for (const event of events) {
    const payload = JSON.stringify(event)
    expect((await send(ACCOUNTS_URL, payload, sign(payload, ACCOUNTS))).status).toBe(200)
    expect(await rowOf(event.id)).toMatchObject({
      endpoint: 'accounts',
      object_id: 'acct_trader',
      state: 'received',
    })
  }
  const trader = await makeTrader(testApp)
  await testApp.db
    .insertInto('payout_accounts')
    .values({ user_id: trader.userId, stripe_account_id: 'acct_ours', created_at: TEST_NOW })
    .execute()
  const returned = thin({
    type: 'v2.core.account_link.returned',
    related_object: undefined,
    context: 'acct_ours',
  })
  const payload = JSON.stringify(returned)
  expect((await send(ACCOUNTS_URL, payload, sign(payload, ACCOUNTS))).status).toBe(200)
  expect(await rowOf(returned.id)).toMatchObject({ object_id: null, state: 'received' })
})

type Forgery = { url?: string; payload: string; signature: string | undefined }
const forged: [string, () => Forgery][] = [
  ['without a signature', () => ({ payload: JSON.stringify(snapshot()), signature: undefined })],
  ['with an empty one', () => ({ payload: JSON.stringify(snapshot()), signature: '' })],
  ['with nonsense', () => ({ payload: JSON.stringify(snapshot()), signature: 't=now,v1=yes' })],
  ['signed by another secret', () => signed(snapshot(), 'whsec_of_somebody_else')],
  ['signed for the other address', () => signed(snapshot(), ACCOUNTS)],
  ['altered by a byte', () => altered(snapshot())],
  ['altered in its time', () => retimed(snapshot(), 1)],
  ['with two times', () => retimed(snapshot(), null)],
  ['301 seconds old', () => signed(snapshot(), OLDER, -301)],
  ['301 seconds ahead', () => signed(snapshot(), OLDER, 301)],
  ['without a body', () => ({ payload: '', signature: sign('') })],
  ['that is no JSON', () => ({ payload: '{"id":', signature: sign('{"id":') })],
  ['that is no event', () => signed({ hello: 'world' })],
  ['that is null', () => ({ payload: 'null', signature: sign('null') })],
  ['of the wrong kind', () => signed(thin())],
  ['of the wrong kind there', () => ({ ...signed(snapshot(), ACCOUNTS), url: ACCOUNTS_URL })],
  ['with a wild id', () => signed(snapshot({ id: 'x'.repeat(256) }))],
]
function signed(event: object, secret = OLDER, seconds = 0): Forgery {
  const payload = JSON.stringify(event)
  return { payload, signature: sign(payload, secret, NOW_SECONDS + seconds) }
}
function altered(event: object): Forgery {
  const { payload, signature } = signed(event)
  return { payload: payload.replace('in_1', 'in_2'), signature }
}
function retimed(event: object, seconds: number | null): Forgery {
  const { payload, signature } = signed(event)
  const time = `t=${NOW_SECONDS + (seconds ?? 0)}`
  return {
    payload,
    signature: seconds === null ? `${time},${signature}` : (signature ?? '').replace(/^t=\d+/, time),
  }
}

test.each(forged)('a webhook %s is refused without a word, and nothing is kept', async (_title, make) => {
  const { payload, signature, url } = make()
  const before = await readTables(testApp)
  expect(await send(url ?? PLATFORM_URL, payload, signature)).toEqual({
    status: 400,
    body: {
      code: 'bad_request',
      message: 'Something went wrong, please try again.',
      requestId: expect.any(String),
    },
  })
  expect(await readTables(testApp)).toEqual(before)
})

test('a webhook of more than a mebibyte is refused before it is read, one of a mebibyte is read', async () => {
  const before = await readTables(testApp)
  const event = snapshot({ filling: '' })
  const spare = 1024 * 1024 - JSON.stringify(event).length
  const payload = JSON.stringify({ ...event, filling: 'x'.repeat(spare + 1) })
  const answer = await send(PLATFORM_URL, payload, sign(payload))
  expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  expect(await readTables(testApp)).toEqual(before)
  const fits = JSON.stringify({ ...event, filling: 'x'.repeat(spare) })
  expect((await send(PLATFORM_URL, fits, sign(fits))).status).toBe(200)
})

test.each([
  ['of live mode', PLATFORM_URL, () => snapshot({ livemode: true }), 'mode'],
  ['of live mode about an account', ACCOUNTS_URL, () => thin({ livemode: true }), 'mode'],
  ['of another account', PLATFORM_URL, () => snapshot({ account: 'acct_stranger' }), 'account'],
  ["in another account's name", ACCOUNTS_URL, () => thin({ context: 'acct_stranger' }), 'account'],
] as const)(
  'a webhook %s is refused, and the operator mailed once an hour',
  async (_title, url, make, what) => {
    await testApp.pool.query('delete from rate_limits')
    await testApp.pool.query('delete from outbox')
    for (let time = 0; time < 3; time += 1) {
      const event = make()
      const payload = JSON.stringify(event)
      const secret = url === PLATFORM_URL ? OLDER : ACCOUNTS
      expect((await send(url, payload, sign(payload, secret))).status).toBe(400)
      expect(await rowOf(event.id)).toBeUndefined()
    }
    const { rows } = await testApp.pool.query('select kind, facts from outbox')
    expect(rows).toMatchObject([
      { kind: 'operator_notice', facts: { subject: `payments: a webhook of another ${what} was refused` } },
    ])
  },
)

test('Stripe may call as often as it has to', async () => {
  const answers = await Promise.all(Array.from({ length: 1300 }, () => send(PLATFORM_URL, '{}', 't=1,v1=0')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
})

test('no other call takes bytes', () => {
  expect(testApp.app.hasContentTypeParser('*')).toBe(false)
  expect(testApp.app.hasContentTypeParser('application/json')).toBe(true)
})
