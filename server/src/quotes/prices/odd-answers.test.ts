/** Answers of Finnhub's wire that are no price, and which callers get which refusal (ADR 0081). */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { makeFinnhub } from '../adapters/finnhub.ts'
import type { PriceProvider } from '../provider/provider.ts'

const quotes = await startQuoteServer()
const clock = makeTestClock(TEST_NOW)
const finnhub = makeFinnhub({ ...quotes.provider, clock })
/** Symbols whose answer never ends: they are given up sooner than the product does, so that their tests are short. */
const endless = new Set<string>()
const provider: PriceProvider = {
  ...finnhub,
  quote(symbol, signal) {
    const sooner = endless.has(symbol) ? [AbortSignal.timeout(400)] : []
    return finnhub.quote(symbol, AbortSignal.any([signal, ...sooner]))
  },
}
const testApp = await buildTestApp({
  provider,
  clock,
  settings: { limitsOn: false, quotesPerMinute: 60_000 },
})
const [asker, another, newcomer] = [
  await makeTrader(testApp),
  await makeTrader(testApp),
  await makeTrader(testApp),
]
/** More than the breaker bears faults. */
const people = [asker, another, ...(await Promise.all(Array.from({ length: 4 }, () => makeTrader(testApp))))]
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

let round = 0
/** A ticker that nobody has asked about, and `GOOD`, which has a price. */
let ODD = ''
beforeEach(() => {
  round += 1
  ODD = `ODD${round}`
  // An open breaker tries again.
  clock.advance(60_000)
  quotes.set('GOOD', { price: 5, at: clock.now() })
  quotes.asked.splice(0)
  endless.clear()
})

const check = async (who: Trader, symbol: string) => {
  const { body, status } = await call(testApp, who, 'POST', '/v1/positions/preview', { symbol })
  return { status, code: body.code, message: body.message, price: body.price }
}
const noSuch = () => ({
  status: 404,
  code: 'symbol_not_found',
  message: `We couldn't find a price for ${ODD}.`,
})
const noPrice = () => ({
  status: 503,
  code: 'price_unavailable',
  message: 'Prices are unavailable right now, please try again.',
})

type Behaviour = (response: ServerResponse) => void
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()
const text = (body: string) => (response: ServerResponse) => response.end(body)
const seconds = TEST_NOW.getTime() / 1000

/** A byte each twentieth of a second, until the other side hangs up. */
function drip(response: ServerResponse): void {
  response.write(' ', () => setTimeout(() => !response.destroyed && drip(response), 50))
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"c":1', () => response.destroy())
}

/** Claims to be packed, and is not. */
function rubbish(response: ServerResponse): void {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"c":1,"t":1772636398}')
}

/** Packed, and cut off behind the first bytes. */
function halfPacked(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-encoding': 'gzip' })
    .end(gzipSync('{"c":1,"t":1772636398}').subarray(0, 12))
}

const A_SYMBOLS: [name: string, behaviour: Behaviour, refused: typeof noSuch][] = [
  ['403', status(403), noSuch],
  ['404', status(404), noSuch],
  ['422', status(422), noSuch],
  ['a price of 0', text('{"c":0,"d":null,"h":0,"l":0,"t":0}'), noSuch],
  ['a price of null', text('{"c":null,"t":null}'), noSuch],
  ['204', status(204), noPrice],
  ['301', (response) => response.writeHead(301, { location: '/else' }).end(), noPrice],
  ['302', (response) => response.writeHead(302, { location: '/else' }).end(), noPrice],
  ['304', status(304), noPrice],
  ['307', (response) => response.writeHead(307, { location: '/else' }).end(), noPrice],
  ['400', status(400), noPrice],
  ['402', status(402), noPrice],
  ['408', status(408), noPrice],
  ['410', status(410), noPrice],
  ['418', status(418), noPrice],
  ['a page', text('<!doctype html><title>Back soon</title>'), noPrice],
  ['an empty answer', text(''), noPrice],
  ['half a JSON', text('{"c":187.5,"t":17726'), noPrice],
  ['a list', text('[{"c":187.5,"t":1772636398}]'), noPrice],
  ['an error with 200', text('{"error":"no data"}'), noPrice],
  ['another symbol', text(`{"c":5,"t":${seconds},"symbol":"OTHER"}`), noPrice],
  ['a text for the price', text(`{"c":"187.52","t":${seconds}}`), noPrice],
  ['a price that is no number', text(`{"c":NaN,"t":${seconds}}`), noPrice],
  ['a price without an end, as text', text(`{"c":"Infinity","t":${seconds}}`), noPrice],
  ['a price beyond numbers', text(`{"c":1e400,"t":${seconds}}`), noPrice],
  ['a price below zero', text(`{"c":-1,"t":${seconds}}`), noPrice],
  ['a tiny price', text(`{"c":1e-9,"t":${seconds}}`), noPrice],
  ['a huge price', text(`{"c":1e13,"t":${seconds}}`), noPrice],
  ['no time', text('{"c":187.52}'), noPrice],
  ['a time of 0', text('{"c":187.52,"t":0}'), noPrice],
  ['a time before 1970', text('{"c":187.52,"t":-1}'), noPrice],
  ['a time of no year', text('{"c":187.52,"t":1e300}'), noPrice],
  ['a time in milliseconds', text(`{"c":187.52,"t":${seconds * 1000}}`), noPrice],
  ['a text for the time', text('{"c":187.52,"t":"2026-03-04T15:00:00Z"}'), noPrice],
  ['half a packed answer', halfPacked, noPrice],
  ['more than 64 KB', text(`{"c":1,"t":${seconds}}${' '.repeat(64 * 1024)}`), noPrice],
]

test.each(A_SYMBOLS)(
  '%s is the answer to one symbol and one person, for a minute',
  async (_name, behaviour, refused) => {
    quotes.set(ODD, behaviour)
    // Each a single call, which follows nothing.
    for (const person of people) expect(await check(person, ODD)).toEqual(refused())
    expect(quotes.asked.map(({ symbol }) => symbol)).toEqual(Array(6).fill(ODD))
    expect(await check(asker, 'GOOD')).toMatchObject({ status: 200, price: '5' })
    expect(await check(another, 'GOOD')).toMatchObject({ status: 200, price: '5' })

    quotes.set(ODD, { price: 7, at: clock.now() })
    clock.advance(59_999)
    expect(await check(asker, ODD)).toEqual(refused())
    expect(quotes.asked.length).toBe(8)
    expect(await check(newcomer, ODD)).toMatchObject({ status: 200, price: '7' })
    clock.advance(1)
    expect(await check(asker, ODD)).toMatchObject({ status: 200, price: '7' })
  },
)

const PERHAPS_A_SYMBOLS: [name: string, behaviour: Behaviour, ends?: boolean][] = [
  ['500', status(500)],
  ['501', status(501)],
  ['502', status(502)],
  ['503', status(503)],
  ['504', status(504)],
  ['an answer that breaks off', breakOff],
  ['an answer that is packed in rubbish', rubbish],
  ['an answer that drips', (response) => drip(response.writeHead(200)), false],
  ['no answer', () => {}, false],
]

test.each(PERHAPS_A_SYMBOLS)(
  '%s for one symbol keeps nobody from another price; for five symbols it is an outage',
  async (_name, behaviour, ends = true) => {
    const symbols = [ODD, `${ODD}B`, `${ODD}C`, `${ODD}D`, `${ODD}E`]
    for (const symbol of symbols) {
      quotes.set(symbol, behaviour)
      if (!ends) endless.add(symbol)
    }
    const answers = await Promise.all(people.map((person) => check(person, ODD)))
    expect(answers).toEqual(people.map(noPrice))
    expect(quotes.asked.length, 'each is asked a second time').toBe(12)
    expect(await check(asker, 'GOOD')).toMatchObject({ status: 200, price: '5' })

    const outage = await Promise.all(symbols.map((symbol) => check(asker, symbol)))
    expect(outage).toEqual(symbols.map(noPrice))
    await expectOutage()
    // A fault is not kept for the caller that got it.
    endless.clear()
    quotes.set(ODD, { price: 7, at: clock.now() })
    expect(await check(asker, ODD)).toMatchObject({ status: 200, price: '7' })
  },
)

const EVERYBODYS: [name: string, behaviour: Behaviour][] = [
  ['401', status(401)],
  ['429', status(429)],
  ['a connection that is cut before the answer', (response) => response.destroy()],
]

test.each(EVERYBODYS)(
  "%s is everybody's: the fifth is an outage, of whatever symbol",
  async (_name, behaviour) => {
    quotes.set(ODD, behaviour)
    for (let count = 1; count <= 4; count += 1) expect(await check(asker, ODD)).toEqual(noPrice())
    expect(await check(another, 'GOOD')).toMatchObject({ status: 200 })
    for (let count = 1; count <= 5; count += 1) expect(await check(asker, ODD)).toEqual(noPrice())
    await expectOutage()
  },
)

/** Nobody is answered for ten seconds, and the provider is not asked. */
async function expectOutage(): Promise<void> {
  quotes.asked.splice(0)
  for (const person of people) expect(await check(person, 'GOOD')).toEqual(noPrice())
  clock.advance(9999)
  expect(await check(another, 'GOOD')).toEqual(noPrice())
  expect(quotes.asked).toEqual([])
  clock.advance(1)
  expect(await check(another, 'GOOD')).toMatchObject({ status: 200, price: '5' })
}

test('an odd answer shows that the provider answers: faults before it do not count', async () => {
  const fail = async () => {
    quotes.set(ODD, status(429))
    for (let count = 1; count <= 4; count += 1) expect(await check(asker, ODD)).toEqual(noPrice())
  }
  await fail()
  quotes.set('ODDITY', text('{"c":1'))
  expect(await check(asker, 'ODDITY')).toMatchObject({ status: 503 })
  await fail()
  expect(await check(asker, 'GOOD')).toMatchObject({ status: 200, price: '5' })
})

test('a time that is ahead by an hour counts as now', async () => {
  const time = clock.now().getTime() / 1000 + 3600
  quotes.set(ODD, (response) => void response.end(JSON.stringify({ c: 9, t: time })))
  const answer = await call(testApp, asker, 'POST', '/v1/positions/preview', { symbol: ODD })
  expect(answer).toMatchObject({ status: 200, body: { price: '9', tradedAt: clock.now().toISOString() } })
})

test('an answer of 64 KB is read to its end', async () => {
  const body = `{"c":9,"t":${seconds}}`
  quotes.set(ODD, text(body.padStart(64 * 1024)))
  expect(await check(asker, ODD)).toMatchObject({ status: 200, price: '9' })
})
