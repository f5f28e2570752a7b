import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, open } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { type Listed, listOn } from '../../../test/prices/symbol-list.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const person = await signIn(testApp)
const search = (query: string) =>
  call(testApp, person, 'GET', `/v1/symbols?query=${encodeURIComponent(query)}`)
const found = async (query: string) =>
  ((await search(query)).body.symbols as { symbol: string }[]).map(({ symbol }) => symbol)

const LIST: Listed[] = [
  ['AAPL', 'APPLE INC'],
  ['APLE', ' APPLE HOSPITALITY REIT '],
  ['AMAT', 'APPLIED MATERIALS INC'],
  ['A', 'AGILENT TECHNOLOGIES INC'],
  ['BAC', 'BANK OF AMERICA CORP'],
  ['BAC-PL', 'BANK OF AMERICA CORP PFD L'],
  ['BRK.B', 'BERKSHIRE HATHAWAY INC-CL B'],
  ['KO', 'COCA-COLA CO'],
  ['MCD', "MCDONALD'S CORP"],
  ['NSRGY', 'NESTLÉ SA'],
  ['PYPL', 'PayPal Holdings Inc'],
  ['APPN', 'APPIAN CORP'],
  ['F', 'FIRST BANK'],
  ['AFB', 'FIRST ATLANTIC BANK'],
]
await listOn(testApp, quotes, TEST_NOW.toISOString(), LIST)

beforeEach(() => testApp.clock.advance(60_000))

test.each([
  ['a', ['A', 'AFB', 'AAPL', 'AMAT', 'APLE', 'APPN']],
  ['app', ['APPN', 'AAPL', 'AMAT', 'APLE']],
  ['first', ['F', 'AFB']],
  ['bank', ['BAC', 'BAC-PL', 'F', 'AFB']],
  ['first agilent', []],
  ['aapl', ['AAPL']],
  [' Appl ', ['AAPL', 'AMAT', 'APLE']],
  ['apple hosp', ['APLE']],
  ['hospitality apple', ['APLE']],
  ['bank of am', ['BAC', 'BAC-PL']],
  ['america', ['BAC', 'BAC-PL']],
  ['brk b', ['BRK.B']],
  ['BRK-B', ['BRK.B']],
  ['bac.pl', ['BAC-PL']],
  ['coca cola', ['KO']],
  ['mcdonalds', ['MCD']],
  ['nestle', ['NSRGY']],
  ['$PYPL', ['PYPL']],
  ['ＡＡＰＬ', ['AAPL']],
  ['pple', []],
  ['( %', []],
  ['', []],
  ['x'.repeat(300), []],
] as const)('a search for "%s" offers %j', async (query, symbols) => {
  expect(await found(query)).toEqual(symbols)
})

test('names are written in ordinary capitals, and those with small letters as the list has them', async () => {
  expect((await search('brk')).body).toEqual({
    symbols: [{ symbol: 'BRK.B', name: 'Berkshire Hathaway Inc-Cl B' }],
  })
  expect((await search('pay')).body).toEqual({ symbols: [{ symbol: 'PYPL', name: 'PayPal Holdings Inc' }] })
})

test('no search asks the provider, whatever others have typed, checked or opened', async () => {
  const trader = await makeTrader(testApp)
  const asked = () => ({
    quotes: quotes.asked.length,
    searched: quotes.searched.length,
    listed: quotes.listed,
  })
  quotes.setSearch(
    (response) => void response.end('{"result":[{"symbol":"NEWCO","description":"NEWCO INC"}]}'),
  )
  const { body } = await open(testApp, quotes, trader, 'NEWCO', 10)
  expect(body.position).toMatchObject({ companyName: 'Newco Inc' })
  const before = asked()
  expect(await found('newco')).toEqual([])
  expect(await found('aapl')).toEqual(['AAPL'])
  expect(asked()).toEqual(before)
  await listOn(testApp, quotes, '2026-03-05T15:00:00Z', [...LIST, ['OTHER', 'OTHER INC']])
  expect(await found('newco')).toEqual([])
  expect(await found('other')).toEqual(['OTHER'])
})

test('a provider that is away keeps nobody from searching', async () => {
  quotes.setList((response) => void response.writeHead(500).end())
  quotes.setSearch((response) => void response.destroy())
  expect(await found('aapl')).toEqual(['AAPL'])
})

test('sixty searches a minute and person are taken', async () => {
  for (let count = 1; count <= 60; count += 1) expect((await search('x')).status).toBe(200)
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
