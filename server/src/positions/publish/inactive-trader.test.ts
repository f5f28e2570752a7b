import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { closeBy, signInAgain } from '../../../test/closing.ts'
import { call, makeTrader, NOTES, open, subscribe, type Trader, takeKey } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { suspendPerson } from '../../accounts/suspend-person.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { marketOverride: null } })
const { clock, db, pool } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => clock.set(TEST_NOW))

/** An order that waits for the market, which is asked again where a price was checked six seconds ago. */
async function beginOrder(trader: Trader, way: 'open' | 'close', symbol: string) {
  const key = await takeKey(testApp, quotes, trader, symbol, 100)
  clock.advance(6000)
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
  quotes.set(symbol, (response) =>
    isAsked(() => response.end(JSON.stringify({ c: 100, t: Math.floor(clock.now().getTime() / 1000) }))),
  )
  const notes =
    way === 'open' ? { openNotes: NOTES, positionLength: 'one_to_three_weeks' } : { closeNotes: NOTES }
  const ordering = call(testApp, trader, 'POST', `/v1/positions/${way}`, { symbol, key, ...notes })
  return { answer: await asked, ordering }
}

function suspend({ email }: Trader): Promise<unknown> {
  const secret = makeSecretKey(testApp.settings.authSecret)
  return suspendPerson({ db, secret }, email, 'A fraud.', clock.now())
}

async function countWritten({ userId }: Trader) {
  const { rows } = await pool.query(
    `select (select count(*)::int from positions where trader_id = $1) as positions,
      (select count(*)::int from position_events where trader_id = $1) as events,
      (select open_count from trader_stats where trader_id = $1) as counted`,
    [userId],
  )
  return rows[0]
}

test('somebody who is suspended while the market is asked publishes nothing', async () => {
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await signIn(testApp), trader)
  const { answer, ordering } = await beginOrder(trader, 'open', 'SUSP')
  await suspend(trader)
  answer()
  expect(await ordering).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
  expect(await countWritten(trader)).toEqual({ positions: 0, events: 0, counted: 0 })
})

test('somebody whose account is closed while the market is asked publishes nothing', async () => {
  const trader = await makeTrader(testApp)
  const { answer, ordering } = await beginOrder(trader, 'open', 'SHUT')
  expect((await closeBy(testApp, trader)).status).toBe(200)
  answer()
  expect(await ordering).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  expect(await countWritten(trader)).toEqual({ positions: 0, events: 0, counted: 0 })
})

test('somebody who is suspended while the market is asked for a close publishes none', async () => {
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await signIn(testApp), trader)
  await open(testApp, quotes, trader, 'HELD', 100)
  clock.advance(24 * 3_600_000)
  const again = await signInAgain(testApp, trader)
  const { answer, ordering } = await beginOrder(again, 'close', 'HELD')
  await suspend(trader)
  answer()
  expect(await ordering).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
  expect(await countWritten(trader)).toEqual({ positions: 1, events: 1, counted: 1 })
})
