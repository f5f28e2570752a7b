import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { makeTrader } from '../../test/factories.ts'
import { askAll, askDepsOf, holdSymbols } from '../../test/prices/marks-scenario.ts'
import { type QuoteServer, startQuoteServer } from '../../test/prices/quote-server.ts'
import { sweepCloses } from './record-closes.ts'

/** A Wednesday, ten minutes after the end of the session. */
const EVENING = new Date('2026-03-04T21:10:00.000Z')
const LAST_TRADE = new Date('2026-03-04T20:59:59.000Z')

type Stage = { testApp: TestApp; quotes: QuoteServer }

/** @param symbols that somebody holds */
async function setStage(stage: Stage, symbols: string[]) {
  const { testApp, quotes } = stage
  testApp.clock.set(EVENING)
  await holdSymbols(testApp, await makeTrader(testApp), symbols)
  const deps = askDepsOf(testApp, quotes.provider)
  const quote = (symbol: string, price: number, at: Date) => quotes.set(symbol, { price, at })
  const sweep = () => sweepCloses(testApp.db, 'SPY', testApp.clock.now())
  const sweepAt = (instant: string) => {
    testApp.clock.set(new Date(instant))
    return sweep()
  }
  const ask = (atMost?: number) => askAll(testApp, deps, atMost)
  const days = async () =>
    (
      await testApp.pool.query<{ row: string }>(
        "select symbol || ' ' || day || ' ' || close || case when late then ' late' else '' end as row from symbol_days order by day, symbol",
      )
    ).rows.map(({ row }) => row)
  return { ask, days, quote, sweep, sweepAt }
}

test('after a session each held symbol and the index is asked once, however many look and however often', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { ask, days, quote, sweep, sweepAt } = await setStage({ testApp, quotes }, ['AAPL', 'KO'])
  // The same symbol of another trader is no second question.
  await holdSymbols(testApp, await makeTrader(testApp), ['KO'])
  quote('AAPL', 187.5, LAST_TRADE)
  quote('KO', 69.2, LAST_TRADE)
  quote('SPY', 682.11, LAST_TRADE)

  await sweepAt('2026-03-04T21:09:59.999Z')
  // The last prices of the session are not there yet; the closes that are due are those of the day before.
  const { rows } = await testApp.pool.query('select distinct close_due::text from symbol_marks')
  expect(rows).toEqual([{ close_due: '2026-03-03' }])
  testApp.clock.set(EVENING)
  await Promise.all([sweep(), sweep(), sweep()])
  expect((await ask()).toSorted()).toEqual(['AAPL', 'KO', 'SPY'])
  await sweep()
  testApp.clock.advance(3_600_000)
  await sweep()
  expect(await ask()).toEqual([])
  expect(quotes.asked.length).toBe(3)
  expect(await days()).toEqual([
    'AAPL 2026-03-04 187.500000',
    'KO 2026-03-04 69.200000',
    'SPY 2026-03-04 682.110000',
  ])
})

test('a day without a new quote is no trading day, and a weekend has none', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { ask, days, quote, sweepAt } = await setStage({ testApp, quotes }, ['AAPL'])
  // A holiday: the last trade is of the day before.
  for (const symbol of ['AAPL', 'SPY']) quote(symbol, 10, new Date('2026-03-03T20:59:59Z'))
  await sweepAt('2026-03-04T21:10:00Z')
  expect((await ask()).length).toBe(2)
  expect(await ask()).toEqual([])

  for (const symbol of ['AAPL', 'SPY']) quote(symbol, 11, new Date('2026-03-06T20:59:59Z'))
  await sweepAt('2026-03-06T21:10:00Z')
  await ask()
  for (const instant of ['2026-03-07T21:10:00Z', '2026-03-08T21:10:00Z', '2026-03-09T13:29:59Z']) {
    await sweepAt(instant)
    expect(await ask()).toEqual([])
  }
  expect(await days()).toEqual(['AAPL 2026-03-06 11.000000', 'SPY 2026-03-06 11.000000'])
})

test('a close that was missed is asked on, marked late while its quote is still the last, and never made up', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { ask, days, quote, sweepAt } = await setStage({ testApp, quotes }, ['AAPL', 'KO'])
  for (const symbol of ['AAPL', 'KO', 'SPY']) quotes.set(symbol, (response) => response.writeHead(500).end())
  await sweepAt('2026-03-04T21:10:00Z')
  // The second turn comes before the pauses have grown, the third does not.
  expect((await ask(3)).length).toBe(2)
  expect(await days()).toEqual([])

  // The next morning two of them answer, before anything is traded.
  for (const symbol of ['AAPL', 'SPY']) quote(symbol, 10, LAST_TRADE)
  testApp.clock.set(new Date('2026-03-05T09:00:00Z'))
  for (let turn = 0; turn < 5; turn += 1) {
    await ask(1)
    testApp.clock.advance(60_000)
  }
  const late = ['AAPL 2026-03-04 10.000000 late', 'SPY 2026-03-04 10.000000 late']
  expect(await days()).toEqual(late)

  // The third answers when it is traded again: its close is not known, and no other price is.
  quote('KO', 70, new Date('2026-03-05T14:45:00Z'))
  testApp.clock.set(new Date('2026-03-05T14:46:00Z'))
  const asked = await ask()
  testApp.clock.advance(60_000)
  asked.push(...(await ask()))
  expect(new Set(asked), 'and what is held, since it is traded').toEqual(new Set(['AAPL', 'KO']))
  expect(await days()).toEqual(late)
})

test('what is still due is given up for the next session, and a symbol that is gone has no close', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { ask, days, quote, sweepAt } = await setStage({ testApp, quotes }, ['AAPL', 'GONE'])
  await sweepAt('2026-03-04T21:10:00Z')
  // Nobody asked: every worker was away for a day.
  for (const symbol of ['AAPL', 'SPY']) quote(symbol, 12, new Date('2026-03-05T20:59:59Z'))
  await sweepAt('2026-03-05T21:10:00Z')
  expect((await ask()).toSorted()).toEqual(['AAPL', 'GONE', 'SPY'])
  expect(await days()).toEqual(['AAPL 2026-03-05 12.000000', 'SPY 2026-03-05 12.000000'])
  expect(await ask()).toEqual([])
})

test('a share that was closed since the bell of the session before is asked too, since the score counts to the close of its session', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const { ask, days, quote, sweepAt } = await setStage({ testApp, quotes }, ['AAPL', 'KO', 'MSFT'])
  await testApp.pool.query(
    "insert into symbol_days (symbol, day, close, late) values ('SPY', '2026-03-03', 680, false)",
  )
  for (const [symbol, closedAt] of [
    ['AAPL', '2026-03-04T15:00:00Z'],
    ['KO', '2026-03-03T21:00:00Z'],
    ['MSFT', '2026-03-03T20:59:59Z'],
  ])
    await testApp.pool.query(
      `update positions set opened_at = '2026-03-02T15:00:00Z', closed_at = $2, close_price = 1, close_notes = 'ten or more',
         close_preview_id = open_preview_id, percentage_gain = 0 where symbol = $1`,
      [symbol, closedAt],
    )
  for (const symbol of ['AAPL', 'KO', 'MSFT']) quote(symbol, 1, LAST_TRADE)
  quote('SPY', 682, LAST_TRADE)
  await sweepAt('2026-03-04T21:10:00Z')
  expect((await ask()).toSorted()).toEqual(['AAPL', 'KO', 'SPY'])
  expect(await days()).toEqual([
    'SPY 2026-03-03 680.000000',
    'AAPL 2026-03-04 1.000000',
    'KO 2026-03-04 1.000000',
    'SPY 2026-03-04 682.000000',
  ])
})
