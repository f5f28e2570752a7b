import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const directory = mkdtempSync(join(tmpdir(), 'sandbox-market-'))
const clockFile = join(directory, 'offset')
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ parts: ['market'], clockFile })
})

afterAll(async () => {
  await sandbox.close()
  rmSync(directory, { recursive: true })
})

beforeEach(async () => {
  await put('fault', { mode: 'none' })
  await fetch(`${sandbox.url}/api/v1/sandbox/quote`, { method: 'DELETE' })
  writeFileSync(clockFile, '0')
})

async function quote(symbol: string) {
  const answer = await fetch(`${sandbox.url}/api/v1/quote?symbol=${symbol}`, {
    headers: { 'X-Finnhub-Token': 'k' },
  })
  return (await answer.json()) as Record<'c' | 'd' | 'dp' | 'h' | 'l' | 'o' | 'pc' | 't', number>
}

function put(path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${sandbox.url}/api/v1/sandbox/${path}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(body),
  })
}

test('a quote needs a key, in the header or in the query', async () => {
  const bare = await fetch(`${sandbox.url}/api/v1/quote?symbol=AAPL`)
  expect(bare.status).toBe(401)
  expect(await bare.json()).toEqual({ error: 'Please use an API key.' })
  expect((await fetch(`${sandbox.url}/api/v1/quote?symbol=AAPL&token=k`)).status).toBe(200)
  const { c, h, l, t } = await quote('BRK.B')
  expect(c).toBeGreaterThan(100)
  expect(h).toBeGreaterThanOrEqual(l)
  expect(Math.abs(t - Date.now() / 1000)).toBeLessThan(60)
})

test('an unknown symbol is answered with zeros, as Finnhub does', async () => {
  expect(await quote('NOSUCH')).toEqual({ c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 })
  expect((await quote('aapl')).c).toBe(0)
  expect((await fetch(`${sandbox.url}/api/v1/quote?token=k`)).status).toBe(422)
})

test('a search finds tickers by their beginning and companies by a word, and fails on demand', async () => {
  const search = async (query: string) =>
    (await (await fetch(`${sandbox.url}/api/v1/search?q=${query}&exchange=US&token=k`)).json()) as {
      count: number
      result: { symbol: string; description: string }[]
    }
  expect((await search('brk')).result[0]).toEqual({
    symbol: 'BRK.B',
    displaySymbol: 'BRK.B',
    description: 'BERKSHIRE HATHAWAY CLASS B',
    type: 'Common Stock',
  })
  expect((await search('hath')).result.map(({ symbol }) => symbol)).toEqual(['BRK.B'])
  expect(await search('nosuchcompany')).toEqual({ count: 0, result: [] })
  expect((await fetch(`${sandbox.url}/api/v1/search?q=a`)).status).toBe(401)
  expect((await fetch(`${sandbox.url}/api/v1/search?token=k`)).status).toBe(422)
  await put('fault', { mode: 'error' })
  expect((await fetch(`${sandbox.url}/api/v1/search?q=a&token=k`)).status).toBe(500)
})

test('the clock file moves the market', async () => {
  const day = 86_400_000
  writeFileSync(clockFile, String(400 * day))
  const { t } = await quote('AAPL')
  expect(Math.abs(t - (Date.now() + 400 * day) / 1000)).toBeLessThan(60)
  rmSync(clockFile)
  expect(Math.abs((await quote('AAPL')).t - Date.now() / 1000)).toBeLessThan(60)
})

test('a price can be fixed, with its instant, and given back', async () => {
  expect((await put('quote', { symbol: 'AAPL', price: 1.25 })).status).toBe(200)
  expect(await quote('AAPL')).toMatchObject({ c: 1.25, l: 1.25 })
  expect((await quote('MSFT')).c).not.toBe(1.25)
  await put('quote', { symbol: 'ZZZZ', price: 0.0001, at: '2026-11-18T15:00:00Z' })
  expect(await quote('ZZZZ')).toMatchObject({
    c: 0.0001,
    d: 0,
    pc: 0.0001,
    t: Date.UTC(2026, 10, 18, 15) / 1000,
  })
  await put('quote', { symbol: 'ZZZZ', price: 2, at: 1_800_000_000 })
  expect((await quote('ZZZZ')).t).toBe(1_800_000_000)

  await fetch(`${sandbox.url}/api/v1/sandbox/quote?symbol=AAPL`, { method: 'DELETE' })
  expect((await quote('AAPL')).c).toBeGreaterThan(50)
  expect((await quote('ZZZZ')).c).toBe(2)
  for (const wrong of [
    { symbol: 'AAPL' },
    { symbol: 'AAPL', price: 0 },
    { symbol: 'A', price: 1, at: 'soon' },
  ])
    expect((await put('quote', wrong)).status).toBe(400)
})

test('the market fails, hangs and goes stale on demand', async () => {
  await put('fault', { mode: 'error' })
  const failed = await fetch(`${sandbox.url}/api/v1/quote?symbol=AAPL&token=k`)
  expect([failed.status, await failed.json()]).toEqual([500, { error: expect.any(String) }])

  await put('fault', { mode: 'stale' })
  expect(Math.abs((await quote('AAPL')).t - (Date.now() / 1000 - 3600))).toBeLessThan(60)

  await put('fault', { mode: 'hang' })
  const hung = fetch(`${sandbox.url}/api/v1/quote?symbol=AAPL&token=k`, { signal: AbortSignal.timeout(300) })
  await expect(hung).rejects.toMatchObject({ name: 'TimeoutError' })

  expect((await put('fault', { mode: 'explode' })).status).toBe(400)
  await put('fault', { mode: 'none' })
  expect((await quote('AAPL')).c).toBeGreaterThan(0)
})

test('the past and the quote are one curve, and a session is a candle', async () => {
  // A Wednesday, while the session goes on.
  const noon = Date.UTC(2026, 2, 4, 17) / 1000
  writeFileSync(clockFile, String(noon * 1000 - Date.now()))
  const candles = async (query: string) =>
    (await (await fetch(`${sandbox.url}/api/v1/stock/candle?token=k&${query}`)).json()) as {
      s: string
      c: number[]
      h: number[]
      l: number[]
      o: number[]
      t: number[]
    }
  const friday = Date.UTC(2026, 1, 27) / 1000
  const days = await candles(`symbol=AAPL&resolution=D&from=${friday}&to=${noon + 10 * 86_400}`)
  // Neither a weekend nor a day to come.
  expect(days.t.map((t) => new Date(t * 1000).toISOString().slice(0, 10))).toEqual([
    '2026-02-27',
    '2026-03-02',
    '2026-03-03',
    '2026-03-04',
  ])
  const tuesday = Date.UTC(2026, 2, 3) / 1000
  const minute = async (second: number) =>
    (await candles(`symbol=AAPL&resolution=1&from=${second}&to=${second}`)).o[0]
  expect([days.o[2], days.c[2]]).toEqual([
    await minute(tuesday + 14.5 * 3600),
    await minute(tuesday + 21 * 3600),
  ])
  expect(days.h[2]).toBeGreaterThan(days.l[2] ?? 0)

  const before = await quote('AAPL')
  const running = await candles(`symbol=AAPL&resolution=1&from=${before.t - 60}&to=${before.t + 5}`)
  const after = await quote('AAPL')
  const between = [before.c, after.c, ...(running.c.slice(-1) ?? [])].sort((a, b) => a - b)
  // Seconds may pass between the three: the curve moves by less than this in them.
  expect((between[2] ?? 0) / (between[0] ?? 1)).toBeLessThan(1.003)

  expect(await candles('symbol=NOSUCH&resolution=D&from=0&to=2000000000')).toEqual({ s: 'no_data' })
  const status = async (query: string) => (await fetch(`${sandbox.url}/api/v1/stock/candle?${query}`)).status
  expect(await status('symbol=AAPL&resolution=D&from=0&to=1')).toBe(401)
  expect(await status('token=k&symbol=AAPL&resolution=Q&from=0&to=1')).toBe(422)
  expect(await status('token=k&symbol=AAPL&resolution=D&from=0')).toBe(422)
  await put('fault', { mode: 'no-past' })
  expect(await status('token=k&symbol=AAPL&resolution=D&from=0&to=1')).toBe(403)
  expect((await quote('AAPL')).c).toBeGreaterThan(50)
})

test('it counts how often each call was asked', async () => {
  const asked = async () =>
    (await (await fetch(`${sandbox.url}/api/v1/sandbox/asked`)).json()) as Record<string, number>
  const { quote: quotes = 0, search, candle, list = 0 } = await asked()
  await quote('AAPL')
  await put('fault', { mode: 'error' })
  await quote('AAPL')
  await fetch(`${sandbox.url}/api/v1/stock/symbol?exchange=US&token=k`)
  expect(await asked()).toEqual({ quote: quotes + 2, search, candle, list: list + 1 })
})

test('the page lists the tickers with their prices', async () => {
  await put('quote', { symbol: 'AAPL', price: 123.4 })
  const page = await (await fetch(`${sandbox.url}/market`)).text()
  expect(page).toContain('123.40')
  expect(page).toContain('Berkshire Hathaway')
  expect(page).toContain('McDonald&#39;s')
})
