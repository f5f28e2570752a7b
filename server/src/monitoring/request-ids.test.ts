import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { makeTrader, NOTES, subscribe, type Trader, takeKey } from '../../test/factories.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../test/mails/delivery-scenario.ts'
import { type QuoteServer, startQuoteServer } from '../../test/prices/quote-server.ts'
import { bearer, signIn } from '../../test/sign-in/sign-in.ts'
import { startWorker } from '../worker.ts'

const PROXY = '10.1.2.3'
const STRANGER = '203.0.113.9'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let testApp: TestApp
let quotes: QuoteServer
let delivery: DeliveryScenario
let trader: Trader
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })

beforeAll(async () => {
  quotes = await startQuoteServer()
  testApp = await buildTestApp({
    quotes,
    log,
    settings: { limitsOn: false, trustProxy: `${PROXY},127.0.0.1` },
  })
  delivery = await startDeliveryScenario({ app: testApp })
  trader = await makeTrader(testApp)
})
afterAll(async () => {
  await delivery[Symbol.asyncDispose]()
  await testApp.close()
  await quotes.close()
})

async function ask(given: string | undefined, remoteAddress: string, url = '/v1/positions') {
  const headers = given === undefined ? {} : { 'x-request-id': given }
  const answer = await testApp.app.inject({ url, headers, remoteAddress })
  return { id: String(answer.headers['x-request-id']), body: answer.json<{ requestId?: string }>() }
}

test('every answer names its request, as the body of a refusal does', async () => {
  for (const url of ['/v1/positions', '/v1/nothing', '/healthz']) {
    const { id, body } = await ask(undefined, STRANGER, url)
    expect(id).toMatch(UUID)
    if (url !== '/healthz') expect(body.requestId).toBe(id)
  }
})

test('a proxy of ours names a request, and nobody else does', async () => {
  expect((await ask('req-from-the-proxy-1', PROXY)).id).toBe('req-from-the-proxy-1')
  expect((await ask('req-from-the-proxy-1', STRANGER)).id).toMatch(UUID)
})

test('a text that could be an address, a secret or a line of a log is no request id', async () => {
  for (const given of [
    'fan@people.example',
    'a'.repeat(65),
    'short',
    'two words 12',
    'a.b.c.d.e.f.g',
    '-12345678',
    'x","level":60',
  ])
    expect([given, (await ask(given, PROXY)).id]).toEqual([given, expect.stringMatching(UUID)])
})

test('one name leads from an opening over its readers to its last mail', async () => {
  const follower = await signIn(testApp, { email: 'fan@people.example' })
  await subscribe(testApp, follower, trader)
  const { calls, clock, db, dropIdle, provider, settings, url } = testApp
  const { mail } = delivery.settings
  const worker = await startWorker({
    db,
    dropIdle,
    databaseUrl: url,
    clock,
    log,
    provider,
    calls,
    settings: { ...settings, mail },
  })
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 100)
  const answer = await testApp.app.inject({
    method: 'POST',
    url: '/v1/positions/open',
    headers: { ...bearer(trader.token), 'x-request-id': 'opening-of-apple' },
    payload: { symbol: 'AAPL', key, openNotes: NOTES, positionLength: 'one_to_three_weeks' },
  })
  expect(answer.statusCode).toBe(201)
  const found = () =>
    lines
      .map((line) => JSON.parse(line) as { requestId?: string; msg: string; reader?: string })
      .filter(({ requestId }) => requestId === 'opening-of-apple')
      .map(({ msg, reader }) => (reader ? `${msg} by ${reader}` : msg))
      .sort()
  await expect
    .poll(found)
    .toEqual([
      'a position was opened',
      'an event was read by mail',
      'an event was read by push',
      'an event was read by record',
      'the mails of an event have gone',
    ])
  await worker.stop()
  expect(await db.selectFrom('position_events').select('request_id').execute()).toEqual([
    { request_id: 'opening-of-apple' },
  ])
  expect(lines.join('')).not.toMatch(/people\.example|Bought for a reason/)
})
