import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { type Answer, call, makeTrader, NOTES, type Trader } from '../../../test/factories.ts'
import { startSandboxProcess } from '../../dev/sandbox-process.ts'
import { readEnv } from '../../platform/env.ts'
import { newId } from '../../platform/ids.ts'
import { adjustForSplit } from '../../positions/correct/adjust-positions.ts'

const directory = mkdtempSync(join(tmpdir(), 'sandbox-market-'))
const clockFile = join(directory, 'offset')
const env = readEnv({ SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0', CLOCK_FILE: clockFile })
const sandbox = await startSandboxProcess(env, ['market'], silentLog)
const testApp = await buildTestApp({ settings: { quotes: { base: sandbox.address.url, key: 'sandbox' } } })
afterAll(async () => {
  await testApp.close()
  await sandbox.stop()
  rmSync(directory, { recursive: true })
})
beforeEach(() => moveTo(TEST_NOW))

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')

/** Both clocks; the market's goes on from there. */
function moveTo(instant: Date): void {
  testApp.clock.set(instant)
  writeFileSync(clockFile, String(instant.getTime() - Date.now()))
}

async function order(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<void> {
  const answer = await fetch(`${sandbox.address.url}/api/v1/sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

const check = (trader: Trader, symbol: string): Promise<Answer> =>
  call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })

async function open(trader: Trader, symbol: string): Promise<Answer> {
  const { key } = (await check(trader, symbol)).body
  const notes = { openNotes: NOTES, positionLength: 'one_to_three_weeks' }
  return call(testApp, trader, 'POST', '/v1/positions/open', { symbol, key, ...notes })
}

async function close(trader: Trader, symbol: string): Promise<Answer> {
  const { key } = (await check(trader, symbol)).body
  return call(testApp, trader, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
}

test('the sandbox market answers on the wire that the price source speaks', async () => {
  moveTo(new Date())
  const { prices } = testApp
  const { price, at } = await prices.quote('AAPL', newId())
  expect(Number(price)).toBeGreaterThan(0)
  expect(Date.now() - at.getTime()).toBeLessThan(60_000)
  await expect(prices.quote('NOSUCH', newId())).rejects.toMatchObject({ code: 'symbol_not_found' })
})

test('while a ticker is halted nothing is opened in it, and a close is unsettled', async () => {
  const [holder, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  expect((await open(holder, 'TSLA')).status).toBe(201)
  moveTo(NEXT_DAY)
  await order('PUT', 'halt', { symbol: 'TSLA' })
  moveTo(new Date('2026-03-05T15:03:00.000Z'))
  expect(await open(other, 'TSLA')).toMatchObject({ status: 409, body: { code: 'price_stale' } })
  expect((await open(other, 'AAPL')).status, 'another ticker').toBe(201)
  expect((await check(holder, 'TSLA')).body.tradedAt).toMatch(/^2026-03-05T15:0[01]:/)
  expect(await close(holder, 'TSLA')).toMatchObject({ status: 200, body: { position: { settled: false } } })
  await order('DELETE', 'halt?symbol=TSLA')
  expect((await open(other, 'TSLA')).status, 'resumed').toBe(201)
})

test('a glitch opens nothing, and when it is over the price is right', async () => {
  const trader = await makeTrader(testApp)
  await order('PUT', 'glitch', { symbol: 'KO', price: 9_999_999, seconds: 300 })
  expect(await check(trader, 'KO')).toMatchObject({ status: 409, body: { code: 'price_suspect' } })
  moveTo(new Date(TEST_NOW.getTime() + 301_000))
  expect(Number((await check(trader, 'KO')).body.price)).toBeLessThan(100)
})

test('a split that the operator enters leaves the gain of what is open as it was', async () => {
  const trader = await makeTrader(testApp)
  await order('PUT', 'quote', { symbol: 'NFLX', price: 90 })
  expect((await open(trader, 'NFLX')).body.position).toMatchObject({ openPrice: 90 })
  moveTo(NEXT_DAY)
  await order('PUT', 'quote', { symbol: 'NFLX', price: 99 })
  expect((await check(trader, 'NFLX')).body.price).toBe('99')
  await order('PUT', 'split', { symbol: 'NFLX', ratio: '10:1' })
  const before = await check(trader, 'NFLX')
  expect(before, 'not entered yet').toMatchObject({ status: 409, body: { code: 'price_suspect' } })
  const split = { symbol: 'NFLX', ratio: '10:1', day: '2026-03-05' }
  expect(await adjustForSplit(testApp.db, split, testApp.clock.now())).toBe(1)
  expect((await check(trader, 'NFLX')).body.price).toBe('9.9')
  const { body } = await close(trader, 'NFLX')
  expect(body.position).toMatchObject({ openPrice: 9, closePrice: 9.9, percentageGain: 10 })
})
