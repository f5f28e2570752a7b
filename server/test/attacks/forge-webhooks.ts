import assert from 'node:assert/strict'
import { WEBHOOK_BODY_MAX_BYTES } from '@tradepost/contract/limits'
import Stripe from 'stripe'
import { makeRandom, type Random } from '../../src/dev/seed/random.ts'
import { WEBHOOK_PATHS } from '../../src/stripe/webhook-events.ts'
import { type TestApp, testSettings } from '../build-test-app.ts'
import { readTables } from '../factories.ts'
import type { Figures } from './guess-codes.ts'

type Endpoint = keyof typeof WEBHOOK_PATHS
/** A delivery to one of the two addresses. */
type Delivery = { to: Endpoint; payload: string; signature: string | null }
/** A genuine event, and what a forger of another one has at hand. */
type Genuine = { to: Endpoint; event: Record<string, unknown>; secret: string; now: number; random: Random }
type Forgery = (genuine: Genuine) => Delivery

const { webhooks } = new Stripe('sk_test_of_the_tests')
const { webhookSecrets, accountsWebhookSecrets } = testSettings().stripe
const SECRETS = { platform: webhookSecrets[0] ?? '', accounts: accountsWebhookSecrets[0] ?? '' }
const TOLERANCE_S = 300
const YEAR_S = 365 * 86_400

/**
 * S23: webhooks that Stripe never sent, or not now, or not to us, of every kind in turn and each another by a drawn byte,
 * time, secret or size. All are refused and none leaves a trace; the genuine ones beside them are taken.
 * @param testApp with a database that belongs to no Stripe account yet
 */
export async function forgeWebhooks(testApp: TestApp, count: number): Promise<Figures> {
  const now = testApp.clock.now()
  await testApp.db
    .insertInto('stripe_platform')
    .values({ account_id: 'acct_platform', livemode: false, created_at: now })
    .execute()
  const random = makeRandom(count)
  const kinds = Object.entries(FORGERIES)
  const genuine = (number: number): Genuine => {
    const to = random.pick(['platform', 'accounts'] as const)
    const event = makeEvent(to, number, now)
    return { to, event, secret: SECRETS[to], now: now.getTime() / 1000, random }
  }
  // The operator is notified of another mode and of another account once an hour; from here on nothing is written at all.
  for (const alarming of [ofLiveMode, ofAnotherAccount]) await send(testApp, alarming(genuine(0)))
  const before = await readTables(testApp)
  const answers = new Map<number, number>()
  for (let number = 1; number <= count; number += 1) {
    const [name, forge] = kinds[number % kinds.length] ?? assert.fail()
    const { body, status } = await send(testApp, forge(genuine(number)))
    assert.equal(status, name === 'too large' ? 413 : 400, `${name}, number ${number}`)
    assert.deepEqual(Object.keys(body).sort(), ['code', 'message', 'requestId'], name)
    assert.equal(body.code, status === 413 ? 'payload_too_large' : 'bad_request', name)
    answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  assert.deepEqual(await readTables(testApp), before, 'a refused webhook left something behind')
  const taken = Math.ceil(count / 20)
  for (let number = 1; number <= taken; number += 1) {
    const { event, secret, to } = genuine(number)
    const { status } = await send(testApp, {
      to,
      ...signed(JSON.stringify(event), secret, now.getTime() / 1000),
    })
    assert.equal(status, 200, 'a genuine one was refused')
  }
  const { rows } = await testApp.pool.query('select from stripe_events')
  assert.equal(rows.length, taken)
  return {
    forged: count,
    kinds: kinds.length,
    'refused with 400': answers.get(400) ?? 0,
    'refused with 413': answers.get(413) ?? 0,
    'genuine, taken': taken,
  }
}

async function send(testApp: TestApp, { payload, signature, to }: Delivery) {
  const { json, statusCode } = await testApp.app.inject({
    method: 'POST',
    url: WEBHOOK_PATHS[to],
    headers: {
      'content-type': 'application/json',
      ...(signature !== null && { 'stripe-signature': signature }),
    },
    payload,
  })
  return { status: statusCode, body: json<Record<string, unknown>>() }
}

function makeEvent(to: Endpoint, number: number, now: Date): Record<string, unknown> {
  const common = { id: `evt_forged_${number}`, livemode: false }
  if (to === 'accounts')
    return {
      ...common,
      object: 'v2.core.event',
      type: 'v2.core.account.updated',
      created: now.toISOString(),
      related_object: { id: 'acct_trader', type: 'v2.core.account', url: '/v2/core/accounts/acct_trader' },
    }
  return {
    ...common,
    object: 'event',
    type: 'invoice.paid',
    api_version: Stripe.API_VERSION,
    created: now.getTime() / 1000,
    data: { object: { id: `in_${number}`, object: 'invoice' } },
  }
}

function signed(payload: string, secret: string, timestamp: number): { payload: string; signature: string } {
  return { payload, signature: webhooks.generateTestHeaderString({ payload, secret, timestamp }) }
}

const bySecret =
  (change: (genuine: Genuine) => string): Forgery =>
  (genuine) => ({
    to: genuine.to,
    ...signed(JSON.stringify(genuine.event), change(genuine), genuine.now),
  })
const byTime =
  (change: (random: Random) => number): Forgery =>
  (genuine) => ({
    to: genuine.to,
    ...signed(JSON.stringify(genuine.event), genuine.secret, genuine.now + change(genuine.random)),
  })
/** The event is changed, and then signed with our own secret. */
const byEvent =
  (change: (genuine: Genuine) => object): Forgery =>
  (genuine) => ({
    to: genuine.to,
    ...signed(JSON.stringify({ ...genuine.event, ...change(genuine) }), genuine.secret, genuine.now),
  })
/** The bytes are changed after they were signed. */
const byPayload =
  (change: (payload: string, random: Random) => string): Forgery =>
  (genuine) => {
    const { payload, signature } = signed(JSON.stringify(genuine.event), genuine.secret, genuine.now)
    return { to: genuine.to, payload: change(payload, genuine.random), signature }
  }
const byHeader =
  (change: (header: string, random: Random) => string | null): Forgery =>
  (genuine) => {
    const { payload, signature } = signed(JSON.stringify(genuine.event), genuine.secret, genuine.now)
    return { to: genuine.to, payload, signature: change(signature, genuine.random) }
  }

const ofLiveMode = byEvent(() => ({ livemode: true }))
const ofAnotherAccount = byEvent(({ random, to }) => {
  const account = `acct_stranger_${random.between(1, 1e9)}`
  return to === 'platform' ? { account } : { context: random.pick([account, `org_1/${account}`]) }
})

const FORGERIES: Record<string, Forgery> = {
  'no signature': byHeader(() => null),
  'an empty signature': byHeader(() => ''),
  'a signature of chance': byHeader((header, random) =>
    header.replace(
      /v1=.*/,
      `v1=${Array.from({ length: 64 }, () => random.between(0, 15).toString(16)).join('')}`,
    ),
  ),
  'a changed digit of the signature': byHeader((header, random) =>
    changeAt(header, header.indexOf('v1=') + 3 + random.between(0, 63)),
  ),
  'a signature cut short': byHeader((header, random) => header.slice(0, -random.between(1, 63))),
  'an older scheme of signature': byHeader((header) => header.replace('v1=', 'v0=')),
  'a time changed after it was signed': byHeader((header, random) =>
    header.replace(/^t=(\d+)/, (_, time) => `t=${Number(time) + random.between(1, TOLERANCE_S - 1)}`),
  ),
  'two times': byHeader((header, random) => `t=${random.between(1, 1e9)},${header}`),
  'no time': byHeader((header) => header.replace(/^t=\d+,/, '')),
  'a time that is none': byHeader((header, random) =>
    header.replace(/^t=\d+/, `t=${random.pick(['now', '', 'NaN', 'Infinity', '-1', '1e99'])}`),
  ),
  'a changed byte': byPayload((payload, random) => changeAt(payload, random.between(0, payload.length - 1))),
  'a byte more': byPayload((payload, random) => {
    const at = random.between(0, payload.length)
    return `${payload.slice(0, at)}${random.pick([' ', '\n', '\t', '0', '}'])}${payload.slice(at)}`
  }),
  'a byte less': byPayload((payload, random) => {
    const at = random.between(0, payload.length - 1)
    return payload.slice(0, at) + payload.slice(at + 1)
  }),
  'the same content in other bytes': byPayload((payload, random) =>
    JSON.stringify(JSON.parse(payload), null, random.between(1, 8)),
  ),
  'another id': byPayload((payload, random) =>
    payload.replace('evt_forged', `evt_${random.between(1, 1e9)}`),
  ),
  'signed for the other address': bySecret(({ to }) => SECRETS[to === 'platform' ? 'accounts' : 'platform']),
  'signed by nobody’s secret': bySecret(({ random }) => `whsec_${random.next()}`),
  'signed by nearly our secret': bySecret(({ random, secret }) =>
    changeAt(secret, random.between(0, secret.length - 1)),
  ),
  'signed by the beginning of our secret': bySecret(({ random, secret }) =>
    secret.slice(0, random.between(1, secret.length - 1)),
  ),
  'too old': byTime((random) => -random.between(TOLERANCE_S + 1, random.pick([TOLERANCE_S + 60, YEAR_S]))),
  'of the future': byTime((random) =>
    random.between(TOLERANCE_S + 1, random.pick([TOLERANCE_S + 60, YEAR_S])),
  ),
  'of live mode': ofLiveMode,
  'of another account': ofAnotherAccount,
  'for the other address': (genuine) => {
    const to = genuine.to === 'platform' ? 'accounts' : 'platform'
    return { to, ...signed(JSON.stringify(genuine.event), SECRETS[to], genuine.now) }
  },
  'without an id': byEvent(({ random }) => ({ id: random.pick([null, '', 7, 'x'.repeat(256)]) })),
  'of no type': byEvent(({ random }) => ({ type: random.pick([null, '', 7, {}]) })),
  'without a mode': byEvent(({ random }) => ({ livemode: random.pick([null, 'false', 0]) })),
  'no JSON': ({ now, random, secret, to, event }) => {
    const whole = JSON.stringify(event)
    return { to, ...signed(whole.slice(0, random.between(0, whole.length - 1)), secret, now) }
  },
  'no event': ({ now, random, secret, to }) => {
    const payload = random.pick([
      'null',
      '[]',
      '{}',
      '0',
      '""',
      'true',
      '{"object":"event"}',
      '[{"id":"evt_1"}]',
    ])
    return { to, ...signed(payload, secret, now) }
  },
  'too large': byEvent(({ random }) => ({
    filling: 'x'.repeat(WEBHOOK_BODY_MAX_BYTES + random.between(0, 65_536)),
  })),
}

/** Another character at that place; its last bit is another. */
function changeAt(text: string, at: number): string {
  const changed = String.fromCharCode(text.charCodeAt(at) ^ 1)
  return text.slice(0, at) + changed + text.slice(at + 1)
}
