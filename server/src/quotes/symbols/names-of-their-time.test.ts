import { afterAll, expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call, close, makeTrader, open, setMark, subscribe, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { type Listed, listOn, readListOfToday } from '../../../test/prices/symbol-list.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const { clock, pool } = testApp
const list = (instant: string, ...rows: Listed[]) => listOn(testApp, quotes, instant, rows)

/** The provider's answers to a search from now on, symbol by name. */
function setFound(found: Record<string, string>): void {
  const result = Object.entries(found).map(([symbol, description]) => ({ symbol, description }))
  quotes.setSearch((response) => void response.end(JSON.stringify({ count: result.length, result })))
}

type Shown = { stock?: string; symbol?: string; companyName?: string }

/** By which names somebody's positions go, in every list that shows them. */
async function namesOf(trader: Trader) {
  const read = async (url: string, field: string) =>
    ((await call(testApp, trader, 'GET', url)).body[field] as Shown[]).map(({ companyName }) => companyName)
  return {
    open: await read('/v1/positions', 'positions'),
    closed: await read(`/v1/traders/${trader.username}/positions/closed`, 'positions'),
    latest: await read(`/v1/accounts/profile?username=${trader.username}`, 'latestPositions'),
  }
}

test('a position has its company beside it from the opening to the closed one on the profile', async () => {
  await list('2026-03-02T15:00:00Z', ['LIFE.A', 'LIFE CLASS A'], ['LIFE', ' LIFE INC '])
  const trader = await makeTrader(testApp)
  const named = { stock: 'LIFE', companyName: 'Life Inc' }
  expect((await open(testApp, quotes, trader, 'LIFE', 10)).body.position).toMatchObject(named)
  expect((await call(testApp, trader, 'GET', '/v1/positions')).body.positions).toMatchObject([named])
  clock.set(new Date('2026-03-03T15:00:00Z'))
  expect((await close(testApp, quotes, trader, 'LIFE', 11)).body.position).toMatchObject(named)
  expect(await namesOf(trader)).toEqual({ open: [], closed: ['Life Inc'], latest: ['Life Inc'] })
  expect(quotes.searched).toEqual([])
})

test('a company that takes another name has it beside what is open, and what was closed before keeps that of its time', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  await list('2026-03-04T15:00:00Z', ['FB', 'FACEBOOK INC', 'BBG00'], ['KO', 'COCA-COLA CO', 'BBG01'])
  await open(testApp, quotes, trader, 'FB', 100)
  clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, trader, 'FB', 101)
  await open(testApp, quotes, trader, 'FB', 101)
  expect(await namesOf(trader)).toEqual({
    open: ['Facebook Inc'],
    closed: ['Facebook Inc'],
    latest: ['Facebook Inc'],
  })
  await list('2026-03-06T15:00:00Z', ['FB', 'META PLATFORMS INC', 'BBG00'], ['KO', 'COCA-COLA CO', 'BBG01'])
  expect(await namesOf(trader)).toEqual({
    open: ['Meta Platforms Inc'],
    closed: ['Facebook Inc'],
    latest: ['Facebook Inc'],
  })
  await close(testApp, quotes, trader, 'FB', 102)
  expect((await namesOf(trader)).closed).toEqual(['Meta Platforms Inc', 'Facebook Inc'])
  expect((await namesOf(trader)).latest).toEqual(['Meta Platforms Inc', 'Facebook Inc'])
  const { items } = await readActivity(testApp, follower)
  expect(items.map(({ companyName }) => companyName)).toEqual([
    'Meta Platforms Inc',
    'Meta Platforms Inc',
    'Facebook Inc',
    'Facebook Inc',
  ])
})

test('a list that only shouts less, or knows a company’s identity at last, changes no name of before', async () => {
  const trader = await makeTrader(testApp)
  await pool.query(`insert into symbols (symbol, name) values ('OLD', 'OLD COMPANY INC')`)
  clock.set(new Date('2026-03-06T15:30:00Z'))
  await open(testApp, quotes, trader, 'OLD', 10)
  await list('2026-03-09T15:00:00Z', ['OLD', 'OLD COMPANY INC'])
  await close(testApp, quotes, trader, 'OLD', 10)
  await list('2026-03-10T15:00:00Z', ['OLD', 'OLD COMPANY INC', 'BBG02'])
  expect((await namesOf(trader)).closed).toEqual(['Old Company Inc'])
  expect((await pool.query(`select from former_symbols where symbol = 'OLD'`)).rows).toEqual([])
})

test('of a ticker that no list holds the name is asked again at each check, and what is closed keeps that of its time', async () => {
  const trader = await makeTrader(testApp)
  clock.set(new Date('2026-03-11T15:00:00Z'))
  setFound({ REUSED: 'ROUND BALL ETF' })
  await open(testApp, quotes, trader, 'REUSED', 40)
  clock.set(new Date('2026-03-12T15:00:00Z'))
  await close(testApp, quotes, trader, 'REUSED', 41)
  clock.advance(60_000)
  setFound({ REUSED: 'OTHER PLATFORMS INC' })
  expect((await open(testApp, quotes, trader, 'REUSED', 41)).body.position).toMatchObject({
    companyName: 'Other Platforms Inc',
  })
  expect(await namesOf(trader)).toEqual({
    open: ['Other Platforms Inc'],
    closed: ['Round Ball ETF'],
    latest: ['Round Ball ETF'],
  })
  // The letters of the provider are kept: they alone identify the company until a list holds it.
  expect((await pool.query(`select name from symbols where symbol = 'REUSED'`)).rows).toEqual([
    { name: 'OTHER PLATFORMS INC' },
  ])
})

test('the first list that holds such a ticker writes its name in ordinary capitals, and that is the same name', async () => {
  const trader = await makeTrader(testApp)
  setFound({ NEWCO: 'NEW COMPANY INC' })
  await open(testApp, quotes, trader, 'NEWCO', 40)
  await list('2026-03-13T14:40:00Z', ['NEWCO', 'NEW COMPANY INC'])
  expect((await namesOf(trader)).open).toEqual(['New Company Inc'])
  expect((await pool.query(`select from former_symbols where symbol = 'NEWCO'`)).rows).toEqual([])
})

test('a provider without a list is asked for each name, which is written in ordinary capitals too', async () => {
  await using other = await buildTestApp({ quotes })
  quotes.setList((response) => void response.writeHead(403).end())
  expect(await readListOfToday(other, quotes)).toBe(1)
  other.clock.advance(600_000)
  expect(await readListOfToday(other, quotes)).toBe(0)
  setFound({ KO: 'COCA-COLA CO' })
  const trader = await makeTrader(other)
  expect((await open(other, quotes, trader, 'KO', 70)).body.position).toMatchObject({
    companyName: 'Coca-Cola Co',
  })
  expect((await call(other, trader, 'GET', '/v1/symbols?query=ko')).body).toEqual({ symbols: [] })
})

test('a position whose company nobody found opens and is listed without one', async () => {
  const trader = await makeTrader(testApp)
  setFound({})
  expect((await open(testApp, quotes, trader, 'NOTFOUND', 10)).status).toBe(201)
  setFound({ NOTLIKE: 'LIKE IT' })
  expect((await open(testApp, quotes, trader, 'NOTLIK', 10)).status).toBe(201)
  quotes.setSearch((response) => void response.writeHead(500).end())
  expect((await open(testApp, quotes, trader, 'NOANSWER', 10)).status).toBe(201)
  expect((await namesOf(trader)).open).toEqual([undefined, undefined, undefined])
})

test('a name is kept only for a ticker that has a price', async () => {
  const trader = await makeTrader(testApp)
  setFound({ PRICELESS: 'PRICELESS INC' })
  const { status } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'PRICELESS' })
  expect(status).toBe(404)
  expect((await pool.query(`select from symbols where symbol = 'PRICELESS'`)).rows).toEqual([])
})

test('positions from before the first list have its names', async () => {
  const trader = await makeTrader(testApp)
  quotes.setSearch((response) => void response.writeHead(500).end())
  clock.set(new Date('2026-03-16T14:45:00Z'))
  await setMark(testApp, 'EARLY', 10)
  await open(testApp, quotes, trader, 'EARLY', 10)
  expect((await namesOf(trader)).open).toEqual([undefined])
  await list('2026-03-16T15:00:00Z', ['EARLY', 'EARLY BIRD CORP'])
  expect((await namesOf(trader)).open).toEqual(['Early Bird Corp'])
})
