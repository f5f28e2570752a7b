import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { type QuoteServer, startQuoteServer } from '../../../test/prices/quote-server.ts'
import { newId } from '../../platform/ids.ts'
import { makeFinnhub, readQuote } from '../adapters/finnhub.ts'
import { askTwice } from '../provider/provider.ts'
import { makeCalls } from '../provider/take-call.ts'
import { makePriceSource } from './price-source.ts'

const quotes: QuoteServer = await startQuoteServer()
const database = await openTestDatabase()
afterAll(async () => {
  await quotes.close()
  await database[Symbol.asyncDispose]()
})
beforeEach(() => quotes.asked.splice(0))

const ids = new Map<string, string>()
/** Of a person by name. */
function idOf(person: string): string {
  const id = ids.get(person) ?? newId()
  ids.set(person, id)
  return id
}

function setUp(log = silentLog) {
  const clock = makeTestClock(TEST_NOW)
  const provider = makeFinnhub({ ...quotes.provider, clock })
  const calls = makeCalls({ db: database.db, pipelined: database.pipelined, clock, perMinute: 60_000 })
  const source = makePriceSource({ provider, calls, clock, log })
  /** Of one person, unless another is named. */
  const prices = { quote: (symbol: string, person = 'maria') => source.quote(symbol, idOf(person)) }
  return { clock, prices, provider }
}

const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()
const text = (body: string) => (response: ServerResponse) => response.end(body)

/** A byte each twentieth of a second, until the other side hangs up. */
function drip(response: ServerResponse): void {
  response.write(' ', () => setTimeout(() => !response.destroyed && drip(response), 50))
}

test('a price is the decimal text of the provider, with the time of its trade', async () => {
  const { prices } = setUp()
  quotes.set('AAPL', { price: 187.52, at: new Date('2026-03-04T14:59:58Z') })
  expect(await prices.quote('AAPL')).toEqual({
    price: '187.52',
    at: new Date('2026-03-04T14:59:58Z'),
    high: '187.52',
    low: '187.52',
  })
  expect(quotes.asked).toEqual([
    { symbol: 'AAPL', url: '/api/v1/quote?symbol=AAPL', key: 'the-key-of-the-quote-server' },
  ])
})

test.each([
  ['{"c":187.5,"t":1772636398}', '187.5'],
  ['{"c":0.1,"t":1772636398}', '0.1'],
  ['{"c":1e2,"t":1772636398}', '100'],
  ['{"c":0.00012345678,"t":1772636398}', '0.000123'],
  ['{"c":123456789.123456,"t":1772636398}', '123456789.123456'],
])('the price of %s is %s', (body, price) => {
  expect(readQuote(body, 'AAPL', TEST_NOW)).toMatchObject({ price })
})

test.each(['{"c":0,"t":0}', '{"c":null,"t":null}', '{"c":0}'])('%s is an unknown symbol', (body) => {
  expect(readQuote(body, 'AAPL', TEST_NOW)).toBe('unknown symbol')
})

test.each([
  '',
  'no JSON',
  '[]',
  '{}',
  '{"c":"187.52","t":1772636398}',
  '{"c":-1,"t":1772636398}',
  '{"c":1e12,"t":1772636398}',
  '{"c":1e308,"t":1772636398}',
  '{"c":1e400,"t":1772636398}',
  '{"c":1e-9,"t":1772636398}',
  '{"c":100}',
  '{"c":100,"t":0}',
  '{"c":100,"t":1e300}',
])('%s is no price anybody could trade at', (body) => {
  expect(() => readQuote(body, 'AAPL', TEST_NOW)).toThrow()
})

test('a quote from the future counts as of now, so that it grows old like any other', () => {
  const body = JSON.stringify({ c: 1, t: TEST_NOW.getTime() / 1000 + 3600 })
  expect(readQuote(body, 'AAPL', TEST_NOW)).toEqual({ price: '1', at: TEST_NOW, high: null, low: null })
})

test('a symbol the provider does not know has no price', async () => {
  const { prices } = setUp()
  await expect(prices.quote('NOSUCH')).rejects.toMatchObject({
    code: 'symbol_not_found',
    message: "We couldn't find a price for NOSUCH.",
  })
})

test.each(['', 'aapl', 'A/../../x', 'A?token=1', 'A\r\nX', '../A', 'A#', 'http://x'])(
  'the provider is never asked for %j',
  async (symbol) => {
    const { prices } = setUp()
    await expect(prices.quote(symbol)).rejects.toMatchObject({ status: 422 })
    expect(quotes.asked).toEqual([])
  },
)

test('nobody is answered with a quote that was kept, of their own or of somebody else', async () => {
  const { prices } = setUp()
  quotes.set('ONCE', { price: 1, at: TEST_NOW })
  const both = await Promise.all([prices.quote('ONCE'), prices.quote('ONCE')])
  expect(both).toMatchObject([{ price: '1' }, { price: '1' }])
  quotes.set('ONCE', { price: 2, at: TEST_NOW })
  expect(await prices.quote('ONCE')).toMatchObject({ price: '2' })
  expect(quotes.asked.length).toBe(3)
})

test('one failure is asked again, and the answer then counts', async () => {
  const { prices } = setUp()
  quotes.set('RETRY', (response) => {
    quotes.set('RETRY', { price: 5, at: TEST_NOW })
    response.socket?.destroy()
  })
  expect(await prices.quote('RETRY')).toMatchObject({ price: '5' })
  expect(quotes.asked.length).toBe(2)
})

test('a provider that stays down is asked twice, and its fault is not remembered', async () => {
  const { prices } = setUp()
  quotes.set('DOWN', status(500))
  await expect(prices.quote('DOWN')).rejects.toMatchObject({ code: 'price_unavailable', status: 503 })
  expect(quotes.asked.length).toBe(2)
  quotes.set('DOWN', { price: 7, at: TEST_NOW })
  expect(await prices.quote('DOWN')).toMatchObject({ price: '7' })
})

test.each([
  ['never answers', () => {}],
  ['stops in the middle', (response: ServerResponse) => response.writeHead(200).write('{"c":1')],
  ['drips', (response: ServerResponse) => drip(response.writeHead(200))],
])('a provider that %s is given up at the deadline, not asked again', async (_name, behaviour) => {
  const { provider } = setUp()
  quotes.set('HANGS', behaviour)
  const answer = askTwice((signal) => provider.quote('HANGS', signal), 500)
  await expect(answer).rejects.toThrow('no answer in time')
  expect(quotes.asked.length).toBe(1)
})

test('after five failures nobody asks for ten seconds, then one probe decides', async () => {
  const { clock, prices } = setUp()
  quotes.set('LATE', status(429))
  const fails = () => expect(prices.quote('LATE')).rejects.toMatchObject({ code: 'price_unavailable' })
  for (let failure = 0; failure < 5; failure += 1) await fails()
  expect(quotes.asked.length).toBe(5)
  clock.advance(9999)
  await fails()
  expect(quotes.asked.length).toBe(5)

  clock.advance(1)
  await fails()
  expect(quotes.asked.length, 'the probe').toBe(6)
  await fails()
  expect(quotes.asked.length, 'the failed probe shuts it again').toBe(6)

  clock.advance(10_000)
  quotes.set('LATE', { price: 3, at: TEST_NOW })
  quotes.set('OTHER', { price: 4, at: TEST_NOW })
  const [probe, other] = await Promise.allSettled([prices.quote('LATE'), prices.quote('OTHER')])
  expect([probe.status, other.status], 'one probe at a time').toEqual(['fulfilled', 'rejected'])
  expect(await prices.quote('OTHER')).toMatchObject({ price: '4' })
})

test('a clock that was set back neither keeps the breaker open nor an old price', async () => {
  const { clock, prices } = setUp()
  quotes.set('BACK', status(401))
  for (let failure = 0; failure < 5; failure += 1) await prices.quote('BACK').catch(() => {})
  clock.advance(-86_400_000)
  quotes.set('BACK', { price: 1, at: TEST_NOW })
  expect(await prices.quote('BACK')).toMatchObject({ price: '1' })
  clock.advance(-1000)
  quotes.set('BACK', { price: 2, at: TEST_NOW })
  expect(await prices.quote('BACK')).toMatchObject({ price: '2' })
})

test('the log contains why the provider did not answer; neither it nor the refusal holds the key or the address', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const { prices } = setUp(pino(sink))
  for (const [nth, behaviour] of [status(500), status(401), text('the-key-of-the-quote-server')].entries()) {
    quotes.set('LOG', behaviour)
    await expect(prices.quote('LOG', `person ${nth}`)).rejects.toMatchObject({
      message: 'Prices are unavailable right now, please try again.',
    })
  }
  const reasons = lines.map((line) => JSON.parse(line).reason)
  expect(reasons).toEqual(['status 500', 'status 401', 'the answer is no quote'])
  expect(lines.join('')).not.toContain(quotes.provider.key)
  expect(lines.join('')).not.toContain('127.0.0.1')
})
