import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const directory = mkdtempSync(join(tmpdir(), 'sandbox-moves-'))
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
  await ask('DELETE', 'quote')
  goOn(0)
})

const goOn = (seconds: number) => writeFileSync(clockFile, String(seconds * 1000))

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${sandbox.url}/api/v1/sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, answer: text === '' ? null : JSON.parse(text) }
}

async function read<T>(path: string): Promise<T> {
  return (await (await fetch(`${sandbox.url}/api/v1/${path}&token=k`)).json()) as T
}

const quote = (symbol: string) =>
  read<Record<'c' | 'd' | 'dp' | 'h' | 'l' | 'o' | 'pc' | 't', number>>(`quote?symbol=${symbol}`)

function submit(action: string, fields: Record<string, string>, site = 'same-origin'): Promise<Response> {
  return fetch(`${sandbox.url}/market/${action}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': site },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

test('a halted ticker keeps its last trade until it is resumed, and nothing moves it', async () => {
  expect(await ask('PUT', 'halt', { symbol: 'TSLA' })).toEqual({
    status: 200,
    answer: { done: 'TSLA is halted.' },
  })
  const last = await quote('TSLA')
  goOn(3600)
  expect(await quote('TSLA')).toEqual(last)
  await ask('PUT', 'halt', { symbol: 'TSLA' })
  expect(await quote('TSLA'), 'halted twice').toEqual(last)
  expect((await quote('AAPL')).t - last.t).toBeGreaterThan(3500)
  const candles = await read<{ t: number[]; c: number[] }>(
    `stock/candle?symbol=TSLA&resolution=1&from=${last.t - 120}&to=${last.t + 3600}`,
  )
  expect(candles.t.at(-1)).toBeLessThanOrEqual(last.t)
  expect(candles.c.at(-1)).toBe(last.c)
  const refused = { status: 409, answer: { error: 'TSLA is halted.' } }
  expect(await ask('PUT', 'quote', { symbol: 'TSLA', price: 5 })).toEqual(refused)
  expect(await ask('PUT', 'glitch', { symbol: 'TSLA', price: 5, seconds: 5 })).toEqual(refused)
  expect((await ask('DELETE', 'halt?symbol=TSLA')).status).toBe(204)
  expect((await quote('TSLA')).t - last.t).toBeGreaterThan(3500)
})

test('a price that was fixed stands still too when it is halted', async () => {
  await ask('PUT', 'quote', { symbol: 'ZZZZ', price: 12.5 })
  await ask('PUT', 'halt', { symbol: 'ZZZZ' })
  const last = await quote('ZZZZ')
  goOn(600)
  expect(await quote('ZZZZ')).toEqual(last)
  await ask('DELETE', 'halt?symbol=ZZZZ')
  expect((await quote('ZZZZ')).t).toBeGreaterThan(last.t + 500)
})

test('a glitch lies outside of the day’s high and low for so many seconds, and is gone', async () => {
  const { h, l, pc } = await quote('KO')
  const { answer, status } = await ask('PUT', 'glitch', { symbol: 'KO', price: 9_999_999, seconds: 30 })
  expect([status, answer]).toEqual([200, { done: 'KO is quoted at 9999999 for 30 seconds.' }])
  goOn(20)
  const wrong = await quote('KO')
  expect([wrong.c, wrong.pc]).toEqual([9_999_999, pc])
  expect(wrong.d).toBeCloseTo(9_999_999 - pc, 3)
  // High and low may have moved by as much as the market does in twenty seconds.
  expect([wrong.h / h, wrong.l / l].every((part) => Math.abs(part - 1) < 0.01)).toBe(true)
  goOn(31)
  const { c, h: high } = await quote('KO')
  expect(c).toBeLessThan(100)
  expect(high).toBeLessThan(100)
})

test('a glitch that high and low take in looks like a price', async () => {
  await ask('PUT', 'glitch', { symbol: 'KO', price: 1.5, seconds: 30, range: 'inside' })
  expect(await quote('KO')).toMatchObject({ c: 1.5, l: 1.5 })
  await ask('PUT', 'glitch', { symbol: 'KO', price: 1500, seconds: 30, range: 'inside' })
  expect(await quote('KO')).toMatchObject({ c: 1500, h: 1500 })
  expect((await quote('KO')).l, 'the one before is over').toBeGreaterThan(10)
})

test('a glitch that should lie outside and does not is refused and changes nothing', async () => {
  const { h, l } = await quote('AAPL')
  const price = (h + l) / 2
  const { answer, status } = await ask('PUT', 'glitch', { symbol: 'AAPL', price, seconds: 30 })
  expect(status).toBe(409)
  expect(answer).toEqual({ error: expect.stringContaining('lies within the day of AAPL') })
  expect((await quote('AAPL')).c).not.toBe(price)
})

test('after a split the price, its day and the past are in new shares, and splits add up', async () => {
  const minute = Math.floor(Date.now() / 60_000) * 60 - 3600
  const past = () =>
    read<{ c: number[]; h: number[]; l: number[] }>(
      `stock/candle?symbol=NFLX&resolution=1&from=${minute}&to=${minute}`,
    )
  const days = () =>
    read<{ c: number[] }>(`stock/candle?symbol=NFLX&resolution=D&from=1767225600&to=1769000000`)
  const [before, beforeMinute, beforeDays] = [await quote('NFLX'), await past(), await days()]
  expect(await ask('PUT', 'split', { symbol: 'NFLX', ratio: '10:1' })).toEqual({
    status: 200,
    answer: { done: 'NFLX is split 10:1.' },
  })
  const after = await quote('NFLX')
  for (const field of ['h', 'l', 'o', 'pc'] as const)
    expect(after[field] * 10, field).toBeCloseTo(before[field], 0)
  expect((after.c * 10) / before.c).toBeCloseTo(1, 1)
  expect((await past()).c[0]).toBeCloseTo((beforeMinute.c[0] ?? 0) / 10, 1)
  const afterDays = await days()
  expect(afterDays.c).toHaveLength(15)
  for (const [day, close] of afterDays.c.entries())
    expect(close).toBeCloseTo((beforeDays.c[day] ?? 0) / 10, 1)
  await ask('PUT', 'split', { symbol: 'NFLX', ratio: '1:5' })
  expect((await quote('NFLX')).pc).toBeCloseTo(before.pc / 2, 1)
  await ask('DELETE', 'quote?symbol=NFLX')
  expect((await quote('NFLX')).pc).toBe(before.pc)
})

test('a price that was fixed before a split is shown in new shares, one that is fixed after it as it is', async () => {
  await ask('PUT', 'quote', { symbol: 'ZZZZ', price: 120 })
  await ask('PUT', 'split', { symbol: 'ZZZZ', ratio: '3:2' })
  expect((await quote('ZZZZ')).c).toBe(80)
  await ask('PUT', 'quote', { symbol: 'ZZZZ', price: 120 })
  expect((await quote('ZZZZ')).c).toBe(120)
})

test.each([
  ['halt', { symbol: 'NOSUCH' }, 409],
  ['glitch', { symbol: 'NOSUCH', price: 1, seconds: 1 }, 409],
  ['split', { symbol: 'NOSUCH', ratio: '2:1' }, 409],
  ['halt', {}, 400],
  ['glitch', { symbol: 'AAPL', price: 0, seconds: 1 }, 400],
  ['glitch', { symbol: 'AAPL', price: 1, seconds: 0 }, 400],
  ['glitch', { symbol: 'AAPL', price: 1, seconds: 1, range: 'beside' }, 400],
  ['split', { symbol: 'AAPL', ratio: '0:1' }, 400],
  ['split', { symbol: 'AAPL', ratio: '10' }, 400],
])('to %s %j is refused', async (action, body, expected) => {
  const before = await quote('AAPL')
  const { answer, status } = await ask('PUT', action, body)
  expect([status, answer]).toEqual([expected, expect.objectContaining({ error: expect.any(String) })])
  expect((await quote('AAPL')).pc).toBe(before.pc)
})

test('the page has the same as forms, shows their results and what was moved', async () => {
  const page = async (path = '/market') => (await fetch(sandbox.url + path)).text()
  expect(await page()).not.toContain('Moved by hand')
  const sent = await submit('halt', { symbol: ' tsla ' })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/market?done=TSLA%20is%20halted.'])
  expect(await page('/market?done=TSLA%20is%20halted.')).toContain('role="status">TSLA is halted.<')
  await submit('split', { symbol: 'AAPL', ratio: '10:1' })
  await submit('glitch', { symbol: 'KO', price: '1234.5', seconds: '60', range: 'outside' })
  const shown = await page()
  expect(shown).toContain('halted since')
  expect(shown).toContain('split, 10 shares for one')
  expect(shown).toContain('quoted at 1234.5 until')
  expect((await quote('KO')).c).toBe(1234.5)
  await submit('resume', { symbol: 'TSLA' })
  await submit('free', { symbol: 'AAPL' })
  await submit('free', { symbol: 'KO' })
  expect(await page()).not.toContain('Moved by hand')
})

test('a form that cannot be, or that another website sends, changes nothing', async () => {
  const failed = async (action: string, fields: Record<string, string>) =>
    decodeURIComponent((await submit(action, fields)).headers.get('location') ?? '')
  expect(await failed('halt', { symbol: 'nosuch' })).toBe('/market?failed=There is no price of NOSUCH.')
  expect(await failed('split', { symbol: 'AAPL', ratio: 'ten' })).toMatch(
    /^\/market\?failed=That cannot be: body\/ratio/,
  )
  expect(await failed('glitch', { symbol: 'AAPL', price: '', seconds: '5' })).toMatch(/failed=That cannot be/)
  expect((await submit('halt', { symbol: 'AAPL' }, 'cross-site')).status).toBe(403)
  const page = await (await fetch(`${sandbox.url}/market`)).text()
  expect(page).not.toContain('Moved by hand')
})
