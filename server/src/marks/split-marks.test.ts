import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader, open } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

test('until a price in the new shares is known, the last one before a split is shown in them', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'COST', 88)
  testApp.clock.advance(60_000)
  const before = new Date('2026-03-03T20:59:00.000Z')
  await testApp.pool.query(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at, for_opened_before) values ('COST', 880, $1, $2, $2)
     on conflict (symbol) do update set price = 880, quoted_at = $1, answered_at = $2, for_opened_before = $2`,
    [before, testApp.clock.now()],
  )
  const read = async () => (await call(testApp, trader, 'GET', '/v1/marks')).body
  expect(await read()).toMatchObject({ marks: [{ price: '880' }] })
  await testApp.pool.query(
    "insert into symbol_splits (symbol, day, shares, said_at) values ('COST', '2026-03-04', 10, $1), ('COST', '2026-03-05', 2, $1)",
    [testApp.clock.now()],
  )
  // The later split is not of today yet.
  expect(await read()).toMatchObject({ marks: [{ price: '88' }] })
})
