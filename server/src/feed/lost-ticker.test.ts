import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { makeTrader, open, subscribe } from '../../test/factories.ts'
import { nextSignal, openFeed } from '../../test/open-feed.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { notifyOfMarks } from '../platform/database/notify.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

test('a price of a ticker is not pushed to a list in which the ticker is of the company that had it before', async () => {
  const [one, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const follower = await signIn(testApp)
  for (const trader of [one, other]) await subscribe(testApp, follower, trader)
  await open(testApp, quotes, one, 'AAPL', 100)
  // The ticker is another company's from today on, in which the other trader opens a position.
  await testApp.pool.query("update positions set ticker_lost_on = '2026-03-04' where trader_id = $1", [
    one.userId,
  ])
  await open(testApp, quotes, other, 'AAPL', 10)
  await open(testApp, quotes, other, 'MSFT', 20)
  testApp.clock.advance(60_000)
  await testApp.pool.query(
    'update symbol_marks set price = 11, quoted_at = $1, answered_at = $1, for_opened_before = $1',
    [testApp.clock.now()],
  )
  const feed = await openFeed(testApp, follower)
  expect(await feed.next()).toMatchObject({ type: 'ready' })
  await Promise.all(['AAPL', 'MSFT'].map((symbol) => notifyOfMarks(testApp.db, symbol)))
  const pushed = await nextSignal(feed)
  feed.close()
  expect(pushed).toMatchObject({ type: 'marks', marks: [{ symbol: 'MSFT', price: '11' }] })
})
