import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { call, makeTrader, NOTES, open, type Trader } from '../../../test/factories.ts'
import { makeOtherWire, startOtherWire } from '../../../test/prices/other-wire.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { listOn, operatorNotices } from '../../../test/prices/symbol-list.ts'
import { askAbout } from '../../marks/ask-next.ts'
import { fillCloses } from '../../marks/fill-closes.ts'
import { settleCloses } from '../../positions/publish/settle-closes.ts'
import { readDirectory } from './read-directory.ts'

const wire = await startOtherWire()
const clock = makeTestClock(TEST_NOW)
const provider = makeOtherWire({ ...wire.provider, clock })
const testApp = await buildTestApp({ provider, clock, settings: { quotesPerMinute: 60_000 } })
afterAll(async () => {
  await testApp.close()
  await wire[Symbol.asyncDispose]()
})

wire.set('shares', '', {
  shares: [
    { share: 'AAPL', company: 'APPLE INC' },
    { share: 'BRK-A', company: 'BERKSHIRE HATHAWAY INC CL A' },
    { share: 'not one', company: 'NOBODY CAN ASK WITH IT' },
  ],
  after: 'page 2',
})
wire.set('shares', 'page 2', {
  shares: [
    { share: 'BRK-B', company: 'BERKSHIRE HATHAWAY INC CL B' },
    { share: 'KO', company: 'COCA-COLA CO' },
  ],
  after: null,
})
await readDirectory({ ...testApp, log: silentLog }, clock.now())

beforeEach(() => {
  // Refusals are forgotten, and a breaker that is open tries again.
  clock.advance(60_000)
  wire.setAll(null)
  wire.asked.splice(0)
})

/** A position is not closed on the day of its opening. */
function waitForNextSession(): void {
  clock.advance((clock.now().getUTCDay() === 5 ? 3 : 1) * 86_400_000)
}

/** The last trade of a share is of now. */
function setPrice(share: string, last: string): void {
  const traded = clock.now().toISOString()
  wire.set('price', share, { share, last, traded, range: { low: last, high: last } })
}

const check = (who: Trader, symbol: string) => call(testApp, who, 'POST', '/v1/positions/preview', { symbol })

async function openAt(who: Trader, symbol: string) {
  const { key } = (await check(who, symbol)).body
  const order = { symbol, key, openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  return call(testApp, who, 'POST', '/v1/positions/open', order)
}

const closeWith = (who: Trader, symbol: string, key: unknown) =>
  call(testApp, who, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })

test('shares of all pages of the list are found, in the spelling of the product', async () => {
  const trader = await makeTrader(testApp)
  const found = async (query: string) =>
    (await call(testApp, trader, 'GET', `/v1/symbols?query=${query}`)).body
  expect(await found('berkshire')).toEqual({
    symbols: [
      { symbol: 'BRK.A', name: 'Berkshire Hathaway Inc Cl A' },
      { symbol: 'BRK.B', name: 'Berkshire Hathaway Inc Cl B' },
    ],
  })
  expect(await found('coca')).toEqual({ symbols: [{ symbol: 'KO', name: 'Coca-Cola Co' }] })
  expect(await found('nobody')).toEqual({ symbols: [] })
  expect(wire.asked).toEqual([])
})

test('a position is opened and closed at the prices of the wire', async () => {
  const trader = await makeTrader(testApp)
  setPrice('AAPL', '187.52 USD')
  expect(await check(trader, 'aapl')).toMatchObject({
    status: 200,
    body: { price: '187.52', symbol: 'AAPL', tradedAt: '2026-03-04T15:02:00.000Z' },
  })
  expect(await openAt(trader, 'AAPL')).toMatchObject({
    status: 201,
    body: { position: { stock: 'AAPL', companyName: 'Apple Inc', openPrice: 187.52 } },
  })
  waitForNextSession()
  setPrice('AAPL', '206.272 USD')
  const { key } = (await check(trader, 'AAPL')).body
  expect(await closeWith(trader, 'AAPL', key)).toMatchObject({
    status: 200,
    body: { position: { closePrice: 206.272, percentageGain: 10 } },
  })
  expect(wire.asked.every((question) => question.about === 'price')).toBe(true)
})

test.each(['brk-b', 'BRK/B', 'brk b', '$BRK.B'])('%s is BRK.B here and BRK-B on the wire', async (typed) => {
  setPrice('BRK-B', '512.5 USD')
  expect(await check(await makeTrader(testApp), typed)).toMatchObject({
    status: 200,
    body: { price: '512.5', symbol: 'BRK.B' },
  })
  expect(wire.asked).toEqual([{ about: 'price', share: 'BRK-B' }])
})

test('a share that the list does not hold has the name that the wire sends', async () => {
  setPrice('NEWCO', '10 USD')
  wire.set('company', 'NEWCO', { company: 'New Company Inc' })
  expect(await openAt(await makeTrader(testApp), 'NEWCO')).toMatchObject({
    status: 201,
    body: { position: { companyName: 'New Company Inc' } },
  })
})

test('a symbol that the wire does not know has no price', async () => {
  expect(await check(await makeTrader(testApp), 'NOSUCH')).toMatchObject({
    status: 404,
    body: { code: 'symbol_not_found', message: "We couldn't find a price for NOSUCH." },
  })
})

const now = TEST_NOW.toISOString()
const ODD: [name: string, behaviour: object | ((response: ServerResponse) => void)][] = [
  ['a price in another currency', { share: 'ODD', last: '187.52 EUR', traded: now }],
  ['a number for a price', { share: 'ODD', last: 187.52, traded: now }],
  ['a price of zero', { share: 'ODD', last: '0 USD', traded: now }],
  ['another share', { share: 'KO', last: '187.52 USD', traded: now }],
  ['no time', { share: 'ODD', last: '187.52 USD' }],
  ['a time in seconds', { share: 'ODD', last: '187.52 USD', traded: 1_772_636_400 }],
  ['an error that nobody has named', { error: 'ODD' }],
  ['half a JSON', (response) => void response.end('{"share":"OD')],
  ['a redirect', (response) => void response.writeHead(307, { location: '/ask' }).end()],
]

test.each(ODD)('%s is the answer to one share and one person', async (_name, behaviour) => {
  const people = await Promise.all(Array.from({ length: 6 }, () => makeTrader(testApp)))
  setPrice('KO', '60 USD')
  wire.set('price', 'ODD', behaviour)
  for (const person of people)
    expect(await check(person, 'ODD')).toMatchObject({ status: 503, body: { code: 'price_unavailable' } })
  expect(wire.asked.length).toBe(6)
  for (const person of people) expect((await check(person, 'KO')).status).toBe(200)
})

/** A fault of everybody's shows with one symbol, one that may be a symbol's with five. */
const ONE = Array(5).fill('OUT')
const FIVE = ['OUTA', 'OUTB', 'OUTC', 'OUTD', 'OUTE']

const OUTAGES: [name: string, symbols: string[], behaviour: object | ((response: ServerResponse) => void)][] =
  [
    ['takes no more calls', ONE, { error: 'TOO_MANY' }],
    ['does not know the key', ONE, { error: 'BAD_KEY' }],
    ['hangs up', ONE, (response) => void response.destroy()],
    ['is busy', FIVE, { error: 'BUSY' }],
    ['is broken', FIVE, (response) => void response.writeHead(502).end()],
    ['breaks off', FIVE, (response) => void response.write('{"share":', () => response.destroy())],
  ]

test.each(OUTAGES)(
  'a provider that %s is left alone after five failures; who holds a share closes at its last price, settled once it is back',
  async (_name, symbols, behaviour) => {
    const trader = await makeTrader(testApp)
    setPrice('KO', '60 USD')
    expect((await openAt(trader, 'KO')).status).toBe(201)
    waitForNextSession()
    wire.setAll(behaviour)
    await Promise.all(symbols.map((symbol) => check(trader, symbol)))
    wire.asked.splice(0)
    const { body } = await check(trader, 'KO')
    expect(body).toMatchObject({ code: 'price_unavailable', price: '60.000000', settled: false })
    expect(await closeWith(trader, 'KO', body.key)).toMatchObject({
      status: 200,
      body: { position: { closePrice: 60, settled: false } },
    })
    expect(wire.asked).toEqual([])

    clock.advance(60_000)
    wire.setAll(null)
    setPrice('KO', '63 USD')
    await settleCloses({ ...testApp, log: silentLog }).run(clock.now())
    const { rows } = await testApp.pool.query(
      'select close_price, unsettled from positions where trader_id = $1',
      [trader.userId],
    )
    expect(rows).toEqual([{ close_price: '63.000000', unsettled: false }])
  },
)

test('one fault that may pass is asked again at once', async () => {
  wire.set('price', 'AAPL', (response: ServerResponse) => {
    setPrice('AAPL', '187 USD')
    response.writeHead(503).end()
  })
  expect(await check(await makeTrader(testApp), 'AAPL')).toMatchObject({ body: { price: '187' } })
  expect(wire.asked.length).toBe(2)
})

test('closes of days are filled from the wire, and a key without a past is reported', async () => {
  await using other = await buildTestApp({ provider, now: new Date('2026-02-27T15:00:00Z') })
  const fill = () =>
    fillCloses({ ...other, perMinute: 60_000, indexSymbol: 'SPY' }, new Date('2026-03-04T15:00:00Z'))
  const trader = await makeTrader(other)
  await other.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
     values ($1, gen_random_uuid(), 'BRK.B', 'less_than_one_week', 1, 'ten or more', $2, gen_random_uuid())`,
    [trader.userId, other.clock.now()],
  )
  wire.setAll({ error: 'NOT_IN_PLAN' })
  expect(await fill()).toBe(
    'This provider has no past prices for this key. Filled 0; curves begin on the first day with prices.',
  )
  wire.setAll(null)
  const days = [
    { session: '2026-02-27', settled: '500.25 USD' },
    { session: '2026-03-02', settled: '501 USD' },
  ]
  wire.set('days', 'BRK-B', { days })
  wire.set('days', 'SPY', { days: days.slice(0, 1) })
  expect(await fill()).toBe('Filled 3 closes.')
  const { rows } = await other.pool.query('select symbol, day::text, close from symbol_days order by 1, 2')
  expect(rows).toEqual([
    { symbol: 'BRK.B', day: '2026-02-27', close: '500.250000' },
    { symbol: 'BRK.B', day: '2026-03-02', close: '501.000000' },
    { symbol: 'SPY', day: '2026-02-27', close: '500.250000' },
  ])
  expect(wire.asked).toContainEqual({
    about: 'days',
    share: 'BRK-B',
    from: '2026-02-27',
    until: '2026-03-03',
  })
})

test('a mark is the price of the wire', async () => {
  const trader = await makeTrader(testApp)
  setPrice('BRK-B', '512.5 USD')
  await openAt(trader, 'BRK.B')
  await testApp.pool.query("insert into symbol_marks (symbol) values ('BRK.B')")
  setPrice('BRK-B', '515 USD')
  const { signal } = new AbortController()
  const ask = (symbol: string) => provider.quote(symbol, signal)
  const worker = {
    perMinute: 30,
    marketOverride: null,
    priceRights: 'live',
    ending: signal,
    log: silentLog,
  } as const
  const deps = { ...testApp, ask, ...worker }
  const forOpenedBefore = new Date(clock.now().getTime() + 1)
  await askAbout(deps, { symbol: 'BRK.B', closeOf: null, forOpenedBefore }, clock)
  const { body } = await call(testApp, trader, 'GET', '/v1/marks')
  expect(body.marks).toEqual([
    { symbol: 'BRK.B', price: '515', at: clock.now().toISOString(), state: 'current' },
  ])
})

test('what is kept belongs to no wire: a position that was opened over another one is closed over this one', async () => {
  await using quotes = await startQuoteServer()
  await using database = await openTestDatabase()
  await using before = await buildTestApp({ quotes, database, clock })
  await using after = await buildTestApp({ provider, database, clock })
  await listOn(before, quotes, '2026-03-18T15:00:00Z', [
    ['AAPL', 'APPLE INC', 'BBG000B9XRY4'],
    ['BRK.A', 'BERKSHIRE HATHAWAY INC CL A', 'BBG000DWCFL4'],
    ['BRK.B', 'BERKSHIRE HATHAWAY INC CL B', 'BBG000DWG505'],
    ['KO', 'COCA-COLA CO', 'BBG000BMX289'],
  ])
  const listed = () => database.pool.query('select * from symbols order by symbol')
  const trader = await makeTrader(before)
  expect((await open(before, quotes, trader, 'BRK.B', 500)).status).toBe(201)
  const known = (await listed()).rows

  clock.set(new Date('2026-03-19T15:00:00Z'))
  await readDirectory({ ...after, log: silentLog }, clock.now())
  // This wire has no identities of shares: those that the other wire sent stay.
  expect((await listed()).rows).toEqual(known)
  setPrice('BRK-B', '510 USD')
  const { key } = (await call(after, trader, 'POST', '/v1/positions/preview', { symbol: 'brk-b' })).body
  const closing = { symbol: 'BRK.B', key, closeNotes: NOTES }
  expect(await call(after, trader, 'POST', '/v1/positions/close', closing)).toMatchObject({
    status: 200,
    body: { position: { companyName: 'Berkshire Hathaway Inc Cl B', closePrice: 510, percentageGain: 2 } },
  })
  expect(await operatorNotices(after)).toEqual([])
})
