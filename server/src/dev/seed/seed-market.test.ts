import type { Proven, ProvenEntry } from '@tradepost/contract/leaderboard'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { call } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { fillCloses } from '../../marks/fill-closes.ts'
import { readEnv } from '../../platform/env.ts'
import { scoreAllTraders } from '../../proven/score-traders.ts'
import { makeFinnhub } from '../../quotes/adapters/finnhub.ts'
import { startSandboxProcess } from '../sandbox-process.ts'
import { readSeedMarket } from './seed-market.ts'
import { seedWorld } from './seed-world.ts'
import { SYMBOLS } from './trades.ts'
import { makeWorld } from './world.ts'

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

test('of a demo world’s traders some are clearly better than the index, some not apart from it, one worse, and not all provisional', async () => {
  await using testApp = await buildTestApp({ now })
  const { db } = testApp
  const provider = makeFinnhub({ base: sandbox.address.url, key: 'sandbox', clock })
  const market = await readSeedMarket(provider, SYMBOLS, now)
  const world = makeWorld({ traders: 12, subscribers: 0, seed: 1 }, now, market)
  await seedWorld(
    { db, secret: makeSecretKey(testApp.settings.authSecret), payments: null },
    world,
    { priceCents: 1000, currency: 'usd', feePercent: null },
    now,
  )
  await fillCloses({ db, provider, clock, perMinute: 60_000, indexSymbol: 'SPY' }, now)
  await scoreAllTraders({ db, indexSymbol: 'SPY' }, now)
  const { body } = await call(testApp, await signIn(testApp), 'GET', '/v1/leaderboard/proven')
  const { entries } = body as Proven
  const sure = entries.filter(({ provisional }) => !provisional)
  const count = (isOne: (entry: ProvenEntry) => boolean) => sure.filter(isOne).length
  expect(entries).toHaveLength(12)
  expect(sure.length).toBeGreaterThan(8)
  expect(sure.length).toBeLessThan(12)
  expect(count(({ low }) => Number(low) > 0)).toBeGreaterThan(1)
  expect(count(({ low, high }) => Number(low) <= 0 && Number(high) >= 0)).toBeGreaterThan(1)
  expect(sure.filter(({ high }) => Number(high) < 0).map(({ username }) => username)).toEqual(['liam'])
  // The average gain and the estimate say the same of those who are clearly apart.
  for (const { averageGain, high, low } of sure)
    if (Number(low) > 0 || Number(high) < 0)
      expect(Math.sign(Number(averageGain))).toBe(Math.sign(Number(low)))
  expect(entries.filter(({ averageGain }) => Number(averageGain) < 0).length).toBeGreaterThan(2)
})
