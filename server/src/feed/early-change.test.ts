import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { makeTrader, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { FeedTraders } from './feed-traders.ts'
import { FeedViewer } from './feed-viewer.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

test('a subscription that changes while a feed is being opened brings nothing that was published long before', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) await open(testApp, quotes, trader, symbol, 100)
  const deps = { db: testApp.db, clock: testApp.clock, log: silentLog }
  const tokenEndsAt = new Date(TEST_NOW.getTime() + 86_400_000)
  const caller = { ...follower, isAal2: false, needsSecondFactor: false, isFresh: true, tokenEndsAt }
  const viewer = new FeedViewer(deps, new FeedTraders(deps), caller, () => undefined)
  const sent: string[] = []
  viewer.attach({ send: (data) => sent.push(data), end: () => undefined, onEnd: () => undefined })
  viewer.followsOthers()
  await viewer.begin('')
  viewer.end()
  const types = sent.map((data) => JSON.parse(data).type)
  expect(types).toEqual(['ready', 'changed'])
})
