import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { readEnv } from '../../platform/env.ts'
import { makeFinnhub } from '../../quotes/adapters/finnhub.ts'
import { startSandboxProcess } from '../sandbox-process.ts'
import { readSeedMarket } from './seed-market.ts'

/** A Saturday. */
const now = new Date('2026-11-21T09:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const clock = { now: () => now }
const quotes = await startQuoteServer()
const sandbox = await startSandboxProcess(
  readEnv({ SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0' }),
  ['market'],
  silentLog,
)
afterAll(async () => {
  await sandbox.stop()
  await quotes.close()
})

test('a demo world lies in the past of its provider, from one session to the next', async () => {
  const provider = makeFinnhub({ base: sandbox.address.url, key: 'sandbox', clock })
  const market = await readSeedMarket(provider, ['KO'], now)
  expect(market.isReal).toBe(true)
  expect(market.priceAt('KO', now)).toBe(market.priceAt('KO', daysAgo(1)))
  const prices = Array.from({ length: 250 }, (_, ago) => market.priceAt('KO', daysAgo(ago)))
  // 250 days have 179 from Monday to Friday.
  expect(new Set(prices).size).toBeGreaterThan(160)
  expect(new Set(prices).size).toBeLessThanOrEqual(179)
})

test('where the provider has no past, one is made up that ends at today’s prices, the same each time', async () => {
  quotes.set('KO', (response) => {
    if (response.req.url?.includes('candle')) return void response.writeHead(403).end('{}')
    response.end(JSON.stringify({ c: 69.2, t: now.getTime() / 1000 }))
  })
  const provider = makeFinnhub({ ...quotes.provider, clock })
  const read = () => readSeedMarket(provider, ['KO'], now)
  const [market, again] = [await read(), await read()]
  expect(market.isReal).toBe(false)
  expect(market.priceAt('KO', now)).toBe(69.2)
  const days = Array.from({ length: 250 }, (_, ago) => daysAgo(ago))
  const prices = days.map((day) => market.priceAt('KO', day))
  expect(new Set(prices).size).toBeGreaterThan(200)
  expect(Math.min(...prices)).toBeGreaterThan(10)
  expect(days.map((day) => again.priceAt('KO', day))).toEqual(prices)
})
