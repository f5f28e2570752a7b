import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader, open } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { signIn } from '../../test/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const results =
  (...found: [symbol: string, description: string][]) =>
  (response: ServerResponse) =>
    void response.end(
      JSON.stringify({
        count: found.length,
        result: found.map(([symbol, description]) => ({ symbol, description })),
      }),
    )

const person = await signIn(testApp)
const search = (query: string) =>
  call(testApp, person, 'GET', `/v1/symbols?query=${encodeURIComponent(query)}`)

beforeEach(() => {
  quotes.searched.splice(0)
  testApp.clock.advance(60_000)
})

test('tickers like a text come from the provider with their companies, six at most', async () => {
  quotes.setSearch(
    results(
      ['AAPL', 'APPLE INC'],
      ['APLE', ' APPLE HOSPITALITY '],
      ['AAPL.TOOLONGFORUS', 'APPLE ELSEWHERE'],
      ['1APPLE', 'NO TICKER OF OURS'],
      ['AMAT', 'APPLIED MATERIALS INC'],
      ['APD', 'AIR PRODUCTS'],
      ['APA', 'APA CORP'],
      ['APH', ''],
      ['APO', 'APOLLO'],
      ['APTV', 'APTIV'],
    ),
  )
  const { status, body } = await search(' Appl ')
  expect(status).toBe(200)
  expect(body).toEqual({
    symbols: [
      { symbol: 'AAPL', name: 'APPLE INC' },
      { symbol: 'APLE', name: 'APPLE HOSPITALITY' },
      { symbol: 'AMAT', name: 'APPLIED MATERIALS INC' },
      { symbol: 'APD', name: 'AIR PRODUCTS' },
      { symbol: 'APA', name: 'APA CORP' },
      { symbol: 'APO', name: 'APOLLO' },
    ],
  })
  expect(quotes.searched).toEqual(['appl'])
})

test('the same text is asked for once in a while, in any case, and an empty one never', async () => {
  quotes.setSearch(results(['TSLA', 'TESLA INC']))
  await Promise.all(['tesla', 'TESLA', ' Tesla '].map(search))
  expect((await search('  ')).body).toEqual({ symbols: [] })
  // The adapter of tests has a clock that leaps over what is kept; asked at once it is one question.
  expect(new Set(quotes.searched)).toEqual(new Set(['tesla']))
})

test.each([
  ['refuses', (response: ServerResponse) => void response.writeHead(429).end()],
  ['fails', (response: ServerResponse) => void response.writeHead(500).end()],
  ['answers with something else', (response: ServerResponse) => void response.end('<html>')],
  ['answers without a list', (response: ServerResponse) => void response.end('{"result":null}')],
  ['breaks off', (response: ServerResponse) => void response.destroy()],
])('a provider that %s is said to be away, and a price is had all the same', async (_, behaviour) => {
  const trader = await makeTrader(testApp)
  quotes.setSearch(behaviour)
  expect(await search(`away ${_}`)).toMatchObject({ status: 503, body: { code: 'price_unavailable' } })
  expect((await open(testApp, quotes, trader, 'AAPL', 187.52)).status).toBe(201)
})

test('a provider that says nothing keeps nobody waiting for longer than two seconds', async () => {
  quotes.setSearch(() => undefined)
  expect(await search('silence')).toMatchObject({ status: 503, body: { code: 'price_unavailable' } })
})

test('sixty searches a minute and person are taken', async () => {
  quotes.setSearch(results())
  const { body } = await search('x'.repeat(41))
  expect(body).toEqual({ symbols: [] })
  expect(quotes.searched).toEqual(['x'.repeat(40)])
  for (let count = 2; count <= 60; count += 1) expect((await search('x')).status).toBe(200)
  expect(await search('x')).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect((await call(testApp, await signIn(testApp), 'GET', '/v1/symbols?query=x')).status).toBe(200)
})

test('a visitor and a call without a text are refused', async () => {
  expect((await call(testApp, null, 'GET', '/v1/symbols?query=x')).status).toBe(401)
  expect(await call(testApp, person, 'GET', '/v1/symbols')).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
})
