import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { makeTrader, subscribe } from '../../test/factories.ts'
import { askAll, askDepsOf, askOne, holdSymbols, marksOf } from '../../test/prices/marks-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { startSandboxProcess } from '../dev/sandbox-process.ts'
import { systemClock } from '../platform/clock.ts'
import { readEnv } from '../platform/env.ts'
import { makeFinnhub } from '../quotes/adapters/finnhub.ts'
import { openWorkSession } from '../work/work-session.ts'
import { startRefresher } from './refresher.ts'

const sandbox = await startSandboxProcess(
  readEnv({ SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0' }),
  ['market'],
  silentLog,
)
const market = { base: sandbox.address.url, key: 'sandbox' }
const inSandbox = makeFinnhub({ ...market, clock: systemClock })
afterAll(() => sandbox.stop())

const inMarket = async (method: 'GET' | 'PUT', path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const url = `${market.base}/api/v1/sandbox/${path}`
  const answer = await fetch(url, body ? { method, headers, body: JSON.stringify(body) } : { method })
  return (await answer.json()) as Record<string, number>
}
/** Refreshes marks as a separate worker does. */
function refresh(testApp: TestApp): { stop(): Promise<void> } {
  const session = openWorkSession({
    ...testApp,
    databaseUrl: testApp.url,
    clock: systemClock,
    log: silentLog,
  })
  const settings = { provider: inSandbox, perMinute: 600, clock: systemClock, log: silentLog }
  const refresher = startRefresher({ ...testApp, ...settings, session })
  return {
    async stop() {
      await refresher.stop()
      await session.end()
    },
  }
}
const quotesAsked = async () => (await inMarket('GET', 'asked')).quote ?? 0

test('500 symbols that are held stay within the budget of three workers, and an old mark is marked as old', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const trader = await makeTrader(testApp)
  const symbols = Array.from({ length: 500 }, (_, n) => `S${n}`)
  for (const symbol of symbols) await inMarket('PUT', 'quote', { symbol, price: 10 })
  await holdSymbols(testApp, trader, symbols)
  const readers = [trader]
  for (let n = 0; n < 20; n += 1) {
    const reader = await signIn(testApp)
    await subscribe(testApp, reader, trader)
    readers.push({ ...reader, username: '' })
  }
  const before = await quotesAsked()
  const workers = Array.from({ length: 3 }, () => askDepsOf(testApp, market))
  const asks: { symbol: string; at: number }[] = []
  for (let second = 0; second < 480; second += 1) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + second * 1000))
    if (second % 30 === 0) {
      const answers = await Promise.all(readers.map((reader) => marksOf(testApp, reader)))
      for (const { symbol, state } of answers.flat()) {
        const last = asks.findLast((ask) => ask.symbol === symbol)
        const age = last ? second - last.at : null
        expect(state).toBe(age !== null && age <= 60 ? 'current' : 'aged')
      }
    }
    const asked = await Promise.all(workers.map((worker) => askOne(testApp, worker)))
    for (const symbol of asked) if (symbol) asks.push({ symbol, at: second })
  }
  expect((await quotesAsked()) - before).toBe(asks.length)
  for (const { at } of asks) {
    const inMinute = asks.filter((other) => other.at >= at && other.at < at + 60)
    expect(inMinute.length).toBeLessThanOrEqual(30)
  }
  // The whole budget is used, and nobody's symbol is asked twice before another's once.
  expect(asks.length).toBe(240)
  expect(new Set(asks.map(({ symbol }) => symbol)).size).toBe(240)
})

test('the refreshers of three processes look up what is held, together within the budget', async () => {
  await using testApp = await buildTestApp({ now: new Date(), settings: { marketOverride: 'hours' } })
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['AAPL', 'MSFT', 'NVDA', 'KO', 'XOM', 'V'])
  const before = await quotesAsked()
  const began = Date.now()
  const refreshers = [refresh(testApp), refresh(testApp), refresh(testApp)]
  try {
    const prices = async () => {
      testApp.clock.set(new Date())
      return (await marksOf(testApp, trader)).map(({ state }) => state)
    }
    await expect.poll(prices).toEqual(Array(6).fill('current'))
  } finally {
    await Promise.all(refreshers.map((refresher) => refresher.stop()))
  }
  const passed = Date.now() - began
  // Each symbol once, a tenth of a second apart.
  expect(passed).toBeGreaterThanOrEqual(500)
  const asked = (await quotesAsked()) - before
  expect(asked).toBeGreaterThanOrEqual(6)
  expect(asked).toBeLessThanOrEqual(6 * (1 + Math.floor(passed / 30_000)))
})

test('while the provider fails, refuses or hangs up, marks grow old, calls grow rare, and it goes on by itself', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const trader = await makeTrader(testApp)
  const symbols = Array.from({ length: 20 }, (_, n) => `S${String(n).padStart(2, '0')}`)
  for (const symbol of symbols) quotes.set(symbol, { price: 5, at: TEST_NOW })
  await holdSymbols(testApp, trader, symbols)
  const deps = askDepsOf(testApp, quotes.provider)
  await askAll(testApp, deps)
  let kind = 0
  for (const symbol of symbols)
    quotes.set(symbol, (response) => {
      kind += 1
      if (kind % 3 === 0) response.writeHead(500).end()
      else if (kind % 3 === 1) response.writeHead(429).end()
      else response.socket?.destroy()
    })
  const before = quotes.asked.length
  const began = testApp.clock.now().getTime()
  const minutes = Array(10).fill(0)
  for (let second = 0; second < 600; second += 1) {
    testApp.clock.set(new Date(began + second * 1000))
    if (await askOne(testApp, deps)) minutes[Math.floor(second / 60)] += 1
  }
  // One try each, without a second call that the budget does not know.
  expect(quotes.asked.length - before).toBe(minutes.reduce((sum, count) => sum + count))
  expect(minutes[0]).toBeLessThan(10)
  expect(minutes.slice(3)).toEqual(Array(7).fill(1))
  expect(await marksOf(testApp, trader)).toContainEqual({
    symbol: 'S00',
    price: '5',
    at: TEST_NOW.toISOString(),
    state: 'aged',
  })

  for (const symbol of symbols) quotes.set(symbol, { price: 6, at: TEST_NOW })
  // The rest of this round, and the next one.
  testApp.clock.advance(300_000)
  await askOne(testApp, deps)
  testApp.clock.advance(60_000)
  expect(new Set(await askAll(testApp, deps, 60)).size).toBe(20)
  expect((await marksOf(testApp, trader)).map(({ price }) => price)).toEqual(Array(20).fill('6'))
})

test('a provider that is silent is given up after seconds, and the end of the process does not wait for it', async () => {
  await inMarket('PUT', 'fault', { mode: 'hang' })
  try {
    await using testApp = await buildTestApp({ now: new Date(), settings: { marketOverride: 'hours' } })
    const trader = await makeTrader(testApp)
    await holdSymbols(testApp, trader, ['AAPL', 'KO', 'MSFT', 'NVDA', 'V', 'XOM'])
    const before = await quotesAsked()
    const refresher = refresh(testApp)
    const failures = async () =>
      Number((await testApp.pool.query('select sum(failures) from symbol_marks')).rows[0].sum)
    // Four calls wait at a time; after the first has failed another one is made.
    await expect.poll(quotesAsked).toBe(before + 4)
    await expect.poll(quotesAsked).toBeGreaterThan(before + 4)
    expect(await failures()).toBeGreaterThan(0)
    await refresher.stop()
    // Of those that were hung up on nothing was learnt.
    expect(await failures()).toBeLessThan((await quotesAsked()) - before)
  } finally {
    await inMarket('PUT', 'fault', { mode: 'none' })
  }
})
