/** Answers of Finnhub's wire that are no list of symbols, odd rows of one that is, and what is kept (ADR 0082). */
import type { ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { listOn, operatorNotices } from '../../../test/prices/symbol-list.ts'
import { makeFinnhub } from '../adapters/finnhub.ts'
import type { PriceProvider } from '../provider/provider.ts'
import { readDirectory } from './read-directory.ts'

const quotes = await startQuoteServer()
const clock = makeTestClock(TEST_NOW)
const provider = makeFinnhub({ ...quotes.provider, clock })
const testApp = await buildTestApp({
  provider,
  clock,
  settings: { limitsOn: false, quotesPerMinute: 60_000 },
})
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** Lines that the sweep has written. */
const warned: string[] = []
const log = pino(
  new Writable({
    write(chunk, _encoding, done) {
      const { msg, reason } = JSON.parse(String(chunk)) as { msg: string; reason: string }
      warned.push(`${msg}: ${reason}`)
      done()
    },
  }),
)

/** As a worker does. @returns how often the provider was asked for its list */
async function sweep(from: Pick<PriceProvider, 'directory'> = provider): Promise<number> {
  const before = quotes.listed
  await readDirectory({ ...testApp, provider: from, log }, clock.now())
  return quotes.listed - before
}

async function kept() {
  const { rows } = await testApp.pool.query(
    'select symbol, name, figi, listed, missing_since, delisted_at from symbols order by symbol',
  )
  const { rows: state } = await testApp.pool.query(
    'select version, read_on::text, short_since from symbol_directory',
  )
  return { rows, state }
}

/** A check of a price, which asks the provider, and a search, which does not. */
async function expectService(): Promise<void> {
  const trader = await makeTrader(testApp)
  quotes.set('AAPL', { price: 187.52, at: clock.now() })
  expect(await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'AAPL' })).toMatchObject({
    status: 200,
    body: { price: '187.52' },
  })
  expect(await call(testApp, trader, 'GET', '/v1/symbols?query=apple')).toEqual({
    status: 200,
    body: { symbols: [{ symbol: 'AAPL', name: 'Apple Inc' }] },
  })
}

await listOn(testApp, quotes, '2026-03-04T10:00:00Z', [
  ['AAPL', 'APPLE INC', 'BBG000B9XRY4'],
  ['BRK.B', 'BERKSHIRE HATHAWAY INC CL B', 'BBG000DWG505'],
  ['KO', 'COCA-COLA CO', 'BBG000BMX289'],
])

type Behaviour = (response: ServerResponse) => void
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()
const text = (body: string) => (response: ServerResponse) => response.end(body)
const row = '{"symbol":"AAPL","description":"APPLE INC","figi":"BBG000B9XRY4"}'

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' })
  response.write(`[${row},`, () => response.destroy())
}

/** Claims to be packed, and is not. */
function rubbish(response: ServerResponse): void {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(`[${row}]`)
}

/** A list that would be one, of that many megabytes. */
function ofMegabytes(count: number): Behaviour {
  return (response) => {
    const blanks = Buffer.alloc(1024 * 1024, ' ')
    const parts = [Buffer.from(`[${row}`), ...Array(count).fill(blanks), Buffer.from(']')]
    Readable.from(parts)
      .on('error', () => {})
      .pipe(response)
  }
}

const NONE: [name: string, behaviour: Behaviour, reason: string][] = [
  ['no JSON', text('<!doctype html>'), 'the answer is no list of symbols'],
  ['an empty answer', text(''), 'the answer is no list of symbols'],
  ['half a list', text(`[${row},{"symbol":"K`), 'the answer is no list of symbols'],
  ['an object', text(`{"result":[${row}]}`), 'the answer is no list of symbols'],
  ['null', text('null'), 'the answer is no list of symbols'],
  [
    'more rows than there are shares',
    text(`[${Array(200_001).fill('0')}]`),
    'the answer is no list of symbols',
  ],
  ['an empty list', text('[]'), 'the list of symbols is empty'],
  ['a list of odd rows alone', text('[1,null,"AAPL",{"symbol":"aapl"}]'), 'the list of symbols is empty'],
  ['400', status(400), 'status 400'],
  ['a redirect', (response) => response.writeHead(302, { location: '/else' }).end(), 'status 302'],
  ['401', status(401), 'status 401'],
  ['429', status(429), 'status 429'],
  ['500', status(500), 'status 500'],
  ['503', status(503), 'status 503'],
  ['a connection that is cut before the answer', (response) => response.destroy(), 'no connection'],
  ['a list that breaks off', breakOff, 'the answer broke off'],
  ['a list packed in rubbish', rubbish, 'the answer broke off'],
  ['a list of 65 MB', ofMegabytes(65), 'the answer is too long'],
]

test.each(NONE)(
  '%s leaves the list of before as it is, is logged, and tried again after ten minutes',
  async (_name, behaviour, reason) => {
    // The day of the next list has begun.
    clock.set(new Date(Math.max(clock.now().getTime(), Date.parse('2026-03-05T10:00:00Z')) + 600_000))
    const before = await kept()
    warned.splice(0)
    quotes.setList(behaviour)
    expect(await sweep()).toBe(1)
    const warning = `the list of symbols could not be read: ${reason}`
    expect(warned).toEqual([warning])
    expect(await kept()).toEqual(before)
    await expectService()

    clock.advance(599_999)
    expect(await sweep()).toBe(0)
    clock.advance(1)
    expect(await sweep()).toBe(1)
    expect(warned).toEqual([warning, warning])
    expect(await kept()).toEqual(before)
    await expectService()
  },
  20_000,
)

test('a list that does not come in time leaves the list of before as it is', async () => {
  clock.advance(600_000)
  const before = await kept()
  warned.splice(0)
  quotes.setList((response) => void response.writeHead(200).write(`[${row},`))
  // Sooner than the product does.
  expect(await sweep({ directory: () => provider.directory(AbortSignal.timeout(300)) })).toBe(1)
  expect(warned).toEqual(['the list of symbols could not be read: no answer in time'])
  expect(await kept()).toEqual(before)
  await expectService()
})

const GOOD_ROWS = [
  { symbol: 'AAPL', description: 'APPLE INC', figi: 'BBG000B9XRY4' },
  { symbol: 'BRK.B', description: 'BERKSHIRE HATHAWAY INC CL B', figi: 'BBG000DWG505' },
  { symbol: 'KO', description: 'COCA-COLA CO', figi: 'BBG000BMX289' },
]

test.each([403, 404, 422])(
  'a key that is refused (%s) a list that it had asks again after ten minutes, and the operator is notified on the third day',
  async (code) => {
    clock.advance(86_400_000)
    quotes.setList((response) => void response.end(JSON.stringify(GOOD_ROWS)))
    expect(await sweep()).toBe(1)
    const before = await kept()
    const notifiedBefore = (await operatorNotices(testApp)).length
    warned.splice(0)
    quotes.setList(status(code))
    for (const days of [1, 2, 3]) {
      clock.advance(86_400_000)
      expect(await sweep()).toBe(1)
      clock.advance(600_000)
      expect(await sweep()).toBe(1)
      expect(warned.splice(0)).toEqual(Array(2).fill('the list of symbols could not be read: no list'))
      expect((await operatorNotices(testApp)).slice(notifiedBefore)).toEqual(
        days < 3 ? [] : ['there is no list of symbols'],
      )
    }
    expect((await kept()).rows).toEqual(before.rows)
    await expectService()
  },
)

const ROWS: [name: string, row: unknown][] = [
  ['a number for a symbol', { symbol: 7, description: 'SEVEN INC' }],
  ['no symbol', { description: 'NO SYMBOL INC' }],
  ['a name alone', 'ALONE'],
  ['null', null],
  ['a list', [row]],
  ['no name, of a new ticker', { symbol: 'NONAME' }],
  ['an empty name', { symbol: 'EMPTY', description: '' }],
  ['a name that nobody sees', { symbol: 'UNSEEN', description: '\u200b \u2066' }],
  ['a number for a name', { symbol: 'NUMBER', description: 7 }],
  ['small letters', { symbol: 'small', description: 'SMALL LETTERS INC' }],
  ['eleven characters', { symbol: 'ABCDEFGHIJK', description: 'LONG INC' }],
  ['a figure in front', { symbol: '7UP', description: 'SEVEN UP INC' }],
  ['a class behind a hyphen, which a price is not asked with', { symbol: 'BRK-B', description: 'OTHER INC' }],
  ['a class behind a blank', { symbol: 'BF B', description: 'BROWN FORMAN CORP' }],
  ['an exchange in front', { symbol: 'NYSE:F', description: 'FORD MOTOR CO' }],
  ['full-width letters', { symbol: 'ＡＡＰＬ', description: 'FULL WIDTH INC' }],
  ['a blank behind', { symbol: 'KO ', description: 'BLANK INC' }],
]

test.each(ROWS)('a row with %s is none, and costs no other row', async (_name, odd) => {
  clock.advance(86_400_000)
  const before = await kept()
  const list = [odd, ...GOOD_ROWS, odd]
  quotes.setList((response) => void response.end(JSON.stringify(list)))
  expect(await sweep()).toBe(1)
  expect((await kept()).rows).toEqual(before.rows)
  await expectService()
})

test.each([
  ['no name', { symbol: 'KO', figi: 'BBG000BMX289' }],
  ['an empty name', { symbol: 'KO', description: ' ', figi: 'BBG000BMX289' }],
  ['a name of characters that nobody sees', { symbol: 'KO', description: '\u0000\u200b' }],
  ['a number for an identity', { symbol: 'KO', description: 'COCA-COLA CO', figi: 7 }],
])('a row with %s lists its ticker all the same, under the name of before', async (_name, odd) => {
  clock.advance(86_400_000)
  const before = await kept()
  const list = [...GOOD_ROWS.filter(({ symbol }) => symbol !== 'KO'), odd]
  quotes.setList((response) => void response.end(JSON.stringify(list)))
  expect(await sweep()).toBe(1)
  expect((await kept()).rows).toEqual(before.rows)
})

test('characters that nobody sees are left out of a name, and keep nothing of the list back', async () => {
  clock.advance(86_400_000)
  const list = [
    ...GOOD_ROWS,
    { symbol: 'NUL', description: 'NUL\u0000 AND\nLINES\u200b INC', figi: 'A\u0000B' },
  ]
  quotes.setList((response) => void response.end(JSON.stringify(list)))
  expect(await sweep()).toBe(1)
  const { rows } = await testApp.pool.query("select name, figi from symbols where symbol = 'NUL'")
  expect(rows).toEqual([{ name: 'Nul and Lines Inc', figi: null }])
})

test('of a symbol that is listed twice the last row counts; a long name is cut, and a figi that is no text is none', async () => {
  clock.advance(86_400_000)
  const more = [
    { symbol: 'TWICE', description: 'FIRST INC', figi: 'BBG000000001' },
    { symbol: 'LONG', description: `${'A'.repeat(59)} ${'B'.repeat(500)}`, figi: '' },
    { symbol: 'BAC-PL', description: ' BANK OF AMERICA CORP ', figi: 7 },
    { symbol: 'TWICE', description: 'SECOND INC', figi: 'BBG000000002' },
  ]
  quotes.setList((response) => void response.end(JSON.stringify([...GOOD_ROWS, ...more])))
  expect(await sweep()).toBe(1)
  const { rows } = await testApp.pool.query(
    "select symbol, name, figi from symbols where symbol in ('TWICE', 'LONG', 'BAC-PL') order by symbol",
  )
  expect(rows).toEqual([
    { symbol: 'BAC-PL', name: 'Bank of America Corp', figi: null },
    { symbol: 'LONG', name: `A${'a'.repeat(58)}`, figi: null },
    { symbol: 'TWICE', name: 'Second Inc', figi: 'BBG000000002' },
  ])
  clock.advance(86_400_000)
  const before = await kept()
  expect(await sweep()).toBe(1)
  expect((await kept()).rows).toEqual(before.rows)
  // Of all this nothing was a list that is not whole, and one was refused for three days three times.
  expect(new Set(await operatorNotices(testApp))).toEqual(new Set(['there is no list of symbols']))
})
