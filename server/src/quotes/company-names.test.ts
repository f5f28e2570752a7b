import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, open } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/quote-server.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** What the provider answers to a search from now on, symbol by name. */
function setFound(found: Record<string, string>): void {
  const result = Object.entries(found).map(([symbol, description]) => ({ symbol, description }))
  quotes.setSearch((response) => void response.end(JSON.stringify({ count: result.length, result })))
}

const namesKept = async () =>
  (await testApp.pool.query('select symbol, name from symbols order by symbol')).rows

test('a position has its company beside it from the opening to the closed one on the profile', async () => {
  setFound({ 'LIFE.A': 'LIFE CLASS A', LIFE: ' LIFE INC ' })
  const trader = await makeTrader(testApp)
  const named = { stock: 'LIFE', companyName: 'LIFE INC' }
  expect((await open(testApp, quotes, trader, 'LIFE', 10)).body.position).toMatchObject(named)
  const list = await call(testApp, trader, 'GET', '/v1/positions')
  expect(list.body.positions).toMatchObject([named])
  testApp.clock.set(new Date('2026-03-05T15:00:00.000Z'))
  expect((await close(testApp, quotes, trader, 'LIFE', 11)).body.position).toMatchObject(named)
  const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(profile.body.latestPositions).toMatchObject([{ symbol: 'LIFE', companyName: 'LIFE INC' }])
  testApp.clock.set(TEST_NOW)
})

test('a name is asked for once, and stays as it was given first', async () => {
  setFound({ ONCE: 'ONCE INC' })
  await open(testApp, quotes, await makeTrader(testApp), 'ONCE', 10)
  // The source forgets an answer after ten minutes; each look at its clock is one.
  for (let look = 0; look < 12; look += 1) quotes.clock.now()
  quotes.searched.splice(0)
  setFound({ ONCE: 'ANOTHER INC' })
  const { body } = await open(testApp, quotes, await makeTrader(testApp), 'ONCE', 10)
  expect(body.position).toMatchObject({ companyName: 'ONCE INC' })
  expect(quotes.searched).toEqual([])
})

test('a position whose company nobody found opens and is listed without one', async () => {
  const trader = await makeTrader(testApp)
  setFound({})
  expect((await open(testApp, quotes, trader, 'NOTFOUND', 10)).status).toBe(201)
  setFound({ NOTLIKE: 'LIKE IT' })
  expect((await open(testApp, quotes, trader, 'NOTLIK', 10)).status).toBe(201)
  quotes.setSearch((response) => void response.writeHead(500).end())
  expect((await open(testApp, quotes, trader, 'NOANSWER', 10)).status).toBe(201)
  const { body } = await call(testApp, trader, 'GET', '/v1/positions')
  expect((body.positions as object[]).map((position) => 'companyName' in position)).toEqual([
    false,
    false,
    false,
  ])
})

test('a name is kept only for a ticker that has a price', async () => {
  const trader = await makeTrader(testApp)
  setFound({ PRICELESS: 'PRICELESS INC' })
  const before = await namesKept()
  const { status } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'PRICELESS' })
  expect(status).toBe(404)
  expect(await namesKept()).toEqual(before)
})
