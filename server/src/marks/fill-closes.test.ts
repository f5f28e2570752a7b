import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { makeTrader } from '../../test/factories.ts'
import { holdSymbols } from '../../test/prices/marks-scenario.ts'
import { startSandboxProcess } from '../dev/sandbox-process.ts'
import { readEnv } from '../platform/env.ts'
import { makeFinnhub } from '../quotes/adapters/finnhub.ts'
import { fillCloses } from './fill-closes.ts'

const run = promisify(execFile)
const sandbox = await startSandboxProcess(
  readEnv({ SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0' }),
  ['market'],
  silentLog,
)
const { url } = sandbox.address
afterAll(() => sandbox.stop())

const failAs = (mode: string) =>
  fetch(`${url}/api/v1/sandbox/fault`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode }),
  })
const asked = async () =>
  ((await (await fetch(`${url}/api/v1/sandbox/asked`)).json()) as { candle: number }).candle

/** Fills at the app's time, without a pause between calls. */
function fill(testApp: TestApp): Promise<string> {
  const { clock, db } = testApp
  const provider = makeFinnhub({ base: url, key: 'sandbox', clock })
  const deps = { db, provider, clock, perMinute: 60_000, indexSymbol: 'SPY' }
  return fillCloses(deps, testApp.clock.now())
}

const daysOf = async (testApp: TestApp, symbol: string) =>
  (
    await testApp.pool.query<{ day: string; late: boolean }>(
      'select day::text, late from symbol_days where symbol = $1 order by day',
      [symbol],
    )
  ).rows

test('the past is filled from the first opening to the last session or close, once, without touching what is known', async () => {
  // A Monday, and a Tuesday of the week after.
  await using testApp = await buildTestApp({ now: new Date('2026-02-23T15:00:00Z') })
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, ['AAPL', 'KO', 'NOSUCH'])
  await testApp.pool.query(
    `update positions set closed_at = '2026-02-25T15:00:00Z', close_price = 1, close_notes = 'ten or more',
       close_preview_id = open_preview_id, percentage_gain = 0 where symbol = 'KO'`,
  )
  await testApp.pool.query(
    "insert into symbol_days (symbol, day, close, late) values ('AAPL', '2026-02-24', 1, false)",
  )
  testApp.clock.set(new Date('2026-03-03T15:00:00Z'))

  expect(await fill(testApp)).toBe('Filled 14 closes.')
  // The provider counts them in the shares of today; a close that was kept on its day, in those of then.
  const { rows } = await testApp.pool.query(
    'select shares_of::text, count(*) from symbol_days group by 1 order by 1',
  )
  expect(rows).toEqual([
    { shares_of: '2026-03-03', count: 14 },
    { shares_of: null, count: 1 },
  ])
  const days = ['23', '24', '25', '26', '27'].map((day) => `2026-02-${day}`)
  expect((await daysOf(testApp, 'AAPL')).map(({ day }) => day)).toEqual([...days, '2026-03-02'])
  expect((await daysOf(testApp, 'AAPL')).filter(({ late }) => !late)).toEqual([
    { day: '2026-02-24', late: false },
  ])
  expect((await daysOf(testApp, 'SPY')).map(({ day }) => day)).toEqual([...days, '2026-03-02'])
  expect((await daysOf(testApp, 'KO')).length).toBe(3)
})

test('of two years each call asks for one, and a second run asks nothing that is known', async () => {
  await using testApp = await buildTestApp({ now: new Date('2024-03-04T15:00:00Z') })
  await holdSymbols(testApp, await makeTrader(testApp), ['SPY'])
  testApp.clock.set(new Date('2026-03-04T15:00:00Z'))
  const before = await asked()
  expect(await fill(testApp)).toBe('Filled 522 closes.')
  expect(await asked()).toBe(before + 2)
  expect(await fill(testApp)).toBe('Filled 0 closes.')
  expect(await asked()).toBe(before + 2)
})

test('a provider without a past is reported, and one that does not answer is reported with how far it came', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-02-23T15:00:00Z') })
  await holdSymbols(testApp, await makeTrader(testApp), ['AAPL'])
  testApp.clock.set(new Date('2026-03-03T15:00:00Z'))
  try {
    await failAs('no-past')
    expect(await fill(testApp)).toBe(
      'This provider has no past prices for this key. Filled 0; curves begin on the first day with prices.',
    )
    await failAs('error')
    await expect(fill(testApp)).rejects.toThrow(
      'The provider did not answer (status 500) after 0 closes. Run it again later.',
    )
    expect(await daysOf(testApp, 'AAPL')).toEqual([])
  } finally {
    await failAs('none')
  }
})

test('the operator fills the past by command', async () => {
  await using testApp = await buildTestApp({ now: new Date(Date.now() - 14 * 86_400_000) })
  await holdSymbols(testApp, await makeTrader(testApp), ['AAPL'])
  const { stdout } = await run(
    process.execPath,
    [join(import.meta.dirname, '../operator.ts'), 'prices:fill'],
    {
      cwd: import.meta.dirname,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        DATABASE_URL: testApp.url,
        AUTH_SECRET: testApp.settings.authSecret,
        QUOTES_API_BASE: url,
        QUOTES_API_KEY: 'sandbox',
        QUOTES_PER_MINUTE: '6000',
        INDEX_SYMBOL: 'QQQ',
        STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
        STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_the_tests_too',
      },
    },
  )
  expect(stdout).toMatch(/^Filled \d+ closes\.\n$/)
  expect((await daysOf(testApp, 'QQQ')).length).toBeGreaterThanOrEqual(9)
  expect((await daysOf(testApp, 'AAPL')).length).toBe((await daysOf(testApp, 'QQQ')).length)
})

test('what is filled is known from its own answer on, however long the others take', async () => {
  await using testApp = await buildTestApp({ now: new Date('2026-02-23T15:00:00Z') })
  await holdSymbols(testApp, await makeTrader(testApp), ['AAPL', 'KO'])
  testApp.clock.set(new Date('2026-03-03T02:00:00Z'))
  const began = testApp.clock.now()
  const clock = {
    now() {
      testApp.clock.advance(3_600_000)
      return testApp.clock.now()
    },
  }
  const provider = makeFinnhub({ base: url, key: 'sandbox', clock })
  await fillCloses({ db: testApp.db, provider, clock, perMinute: 60_000, indexSymbol: 'SPY' }, began)
  const { rows } = await testApp.pool.query<{ known: Date }>(
    'select distinct known_at as known from symbol_days order by known_at',
  )
  expect(rows.length).toBe(3)
  for (const { known } of rows) expect(known.getTime()).toBeGreaterThan(began.getTime())
})
