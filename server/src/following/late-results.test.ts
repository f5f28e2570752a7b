import type { FollowingResults } from '@tradepost/contract/following'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { addCloses } from '../marks/record-closes.ts'

const quotes = await startQuoteServer()
const settings = { limitsOn: false, priceRights: 'delayed' } as const
const testApp = await buildTestApp({ quotes, settings })
const { clock, db } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** As the evening's sweep does, at an instant. */
async function noteIndex(day: string, price: string): Promise<void> {
  await addCloses(db, 'SPY', [{ day, close: price }], { late: false, sharesOf: null }, clock.now())
}

test('where prices are late the index of a day counts 15 minutes after its close became known', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  clock.set(new Date('2026-03-04T21:10:00.000Z'))
  await noteIndex('2026-03-04', '400')
  clock.set(new Date(TEST_NOW.getTime() + 86_400_000))
  await close(testApp, quotes, trader, 'AAPL', 105)
  const indexAt = async (instant: string) => {
    clock.set(new Date(instant))
    const { body } = await call(testApp, follower, 'GET', '/v1/following/results')
    const { closed, index } = body as unknown as FollowingResults
    return [closed, index]
  }
  clock.set(new Date('2026-03-05T21:10:00.000Z'))
  await noteIndex('2026-03-05', '440')
  // Until then the last close before it stands for the day, as it does until the evening.
  expect(await indexAt('2026-03-05T21:24:59.999Z')).toEqual([1, 0])
  expect(await indexAt('2026-03-05T21:25:00.000Z')).toEqual([1, 10])
})
