import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, NOTES, open, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
const { clock } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => clock.set(TEST_NOW))

const check = (who: Trader, symbol: string) => call(testApp, who, 'POST', '/v1/positions/preview', { symbol })

const WITHOUT_A_PRICE: [name: string, behaviour: (response: ServerResponse) => void, code: string][] = [
  ['does not know the ticker any more', (response) => response.end('{"c":0,"t":0}'), 'symbol_not_found'],
  ['may not answer it', (response) => response.writeHead(403).end(), 'symbol_not_found'],
  ['is down', (response) => response.writeHead(500).end(), 'price_unavailable'],
  ['answers half a JSON', (response) => response.end('{"c":1'), 'price_unavailable'],
]

test.each(WITHOUT_A_PRICE)(
  'a position can be closed although the provider %s: at the last price, unsettled',
  async (_name, behaviour, code) => {
    const [holder, other] = [await makeTrader(testApp), await makeTrader(testApp)]
    await open(testApp, quotes, holder, 'AWAY', 10)
    // Longer ago than a price is compared with.
    clock.set(new Date(TEST_NOW.getTime() + 28 * 86_400_000))
    quotes.set('AWAY', behaviour)
    const refused = await check(holder, 'AWAY')
    expect(refused.body).toMatchObject({
      code,
      price: '10.000000',
      symbol: 'AWAY',
      tradedAt: TEST_NOW.toISOString(),
      settled: false,
    })
    const closing = { symbol: 'AWAY', key: refused.body.key, closeNotes: NOTES }
    expect(await call(testApp, holder, 'POST', '/v1/positions/close', closing)).toMatchObject({
      status: 200,
      body: { position: { closePrice: 10, settled: false } },
    })
    const stranger = await check(other, 'AWAY')
    expect(stranger.body).toEqual({ code, message: expect.any(String), requestId: expect.any(String) })
  },
)

test('nobody opens a position at the price that a refusal brings its holder', async () => {
  const holder = await makeTrader(testApp)
  await open(testApp, quotes, holder, 'ONLY', 10)
  quotes.set('ONLY', (response) => void response.end('{"c":0,"t":0}'))
  const { key } = (await check(holder, 'ONLY')).body
  const order = { symbol: 'ONLY', key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  const { status } = await call(testApp, holder, 'POST', '/v1/positions/open', order)
  expect(status).toBe(409)
})
