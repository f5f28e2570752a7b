import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { call, makeTrader, NOTES } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { readListOfToday, setList } from '../../../test/prices/symbol-list.ts'
import { isDistributed } from '../../platform/distribution/distributed-tables.ts'

test('a price check, an open and a close keep a connection of their own for what they write alone', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes, settings: { marketOverride: 'open' } })
  const trader = await makeTrader(testApp)
  quotes.set('AAPL', { price: 187.52, at: TEST_NOW })
  setList(quotes, [['AAPL', 'APPLE INC']])
  await readListOfToday(testApp, quotes)
  testApp.clock.set(TEST_NOW)
  // The first call of an app also reads the keys of its tokens.
  await call(testApp, trader, 'GET', '/v1/positions')
  // Asked once a process. On a cluster each transaction asks besides where positions are (ADR 0069).
  const more = (await isDistributed(testApp.product.db)) ? 1 : 0
  const counts: number[] = []
  const post = async (path: string, payload: object) => {
    let key: unknown
    const texts = await statementsOf(testApp, async () => {
      const { status, body } = await call(testApp, trader, 'POST', `/v1/positions/${path}`, payload)
      expect(status).toBeLessThan(300)
      key = body.key
    })
    counts.push(texts.length)
    return key
  }
  const opening = await post('preview', { symbol: 'AAPL' })
  await post('open', { symbol: 'AAPL', key: opening, openNotes: NOTES, positionLength: 'one_to_three_weeks' })
  const closing = await post('preview', { symbol: 'AAPL' })
  await post('close', { symbol: 'AAPL', key: closing, closeNotes: NOTES })
  // A count of a limit, a transaction that takes a call of the provider's minute, and one that ends other keys and issues one; then transactions, their begin and commit among them, and the notification after them.
  expect(counts).toEqual([11, 9 + more, 11, 9 + more])
})
