import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, readTables } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { redeemPreview } from './redeem-preview.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
quotes.set('AAPL', { price: 187.52, at: TEST_NOW })

const preview = (who: SignedIn, symbol: string) =>
  call(testApp, who, 'POST', '/v1/positions/preview', { symbol })

test('a checked price is a numeric string with its own key', { tags: ['TRADE-11', 'API-19'] }, async () => {
  const trader = await makeTrader(testApp)
  const first = await preview(trader, ' aapl ')
  expect(first).toEqual({
    status: 200,
    body: {
      price: '187.52',
      key: expect.stringMatching(/^[\w-]{43}$/),
      symbol: 'AAPL',
      expiresAt: '2026-03-04T15:02:00.000Z',
      expiresInSeconds: 120,
      tradedAt: '2026-03-04T15:00:00.000Z',
    },
  })
  const second = await preview(trader, 'AAPL')
  expect(second.body.key).not.toBe(first.body.key)
})

test('the key itself is not in the database', async () => {
  const trader = await makeTrader(testApp)
  const { body } = await preview(trader, 'AAPL')
  const { rows } = await testApp.pool.query(
    'select t::text as row from price_previews t where trader_id = $1',
    [trader.userId],
  )
  expect(rows.length).toBe(1)
  expect(rows[0].row).not.toContain(body.key)
})

test('without a username no price is checked, and the provider is not asked', async () => {
  const nobody = await signIn(testApp)
  const before = await readTables(testApp)
  const asked = quotes.asked.length
  expect(await preview(nobody, 'AAPL')).toMatchObject({ status: 409, body: { code: 'username_required' } })
  expect(quotes.asked.length).toBe(asked)
  expect(await readTables(testApp)).toEqual(before)
})

test.each([
  [' ', 422, 'symbol_required', 'Enter a ticker.'],
  ['A B', 422, 'symbol_invalid', 'That is not a valid ticker.'],
  ['NOSUCH', 404, 'symbol_not_found', "We couldn't find a price for NOSUCH."],
])('%j is refused and changes nothing', async (symbol, status, code, message) => {
  const trader = await makeTrader(testApp)
  const before = await readTables(testApp)
  expect(await preview(trader, symbol)).toMatchObject({ status, body: { code, message } })
  expect(await readTables(testApp)).toEqual(before)
})

test('with the provider down the answer is 503 and nothing changes', async () => {
  const trader = await makeTrader(testApp)
  quotes.set('DOWN', (response) => response.writeHead(500).end())
  const before = await readTables(testApp)
  expect(await preview(trader, 'DOWN')).toMatchObject({ status: 503, body: { code: 'price_unavailable' } })
  expect(await readTables(testApp)).toEqual(before)
})

test('the thirty-first check of a minute waits, another person does not', async () => {
  const trader = await makeTrader(testApp)
  const statuses = []
  for (let check = 0; check < 31; check += 1) statuses.push((await preview(trader, 'AAPL')).status)
  expect(statuses).toEqual([...Array(30).fill(200), 429])
  const refused = await testApp.app.inject({
    method: 'POST',
    url: '/v1/positions/preview',
    headers: { authorization: `Bearer ${trader.token}` },
    payload: { symbol: 'AAPL' },
  })
  expect(refused.headers['retry-after']).toBe('60')
  expect((await preview(await makeTrader(testApp), 'AAPL')).status).toBe(200)
})

test('a key is good for its person and symbol, until it expires, once', async () => {
  const { db, clock } = testApp
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  const key = String((await preview(trader, 'AAPL')).body.key)
  const redeem = (who: { userId: string }, text: string, symbol = 'AAPL', now = clock.now()) =>
    withTransaction(db, (tx) => redeemPreview(tx, { traderId: who.userId, key: text, symbol }, now))

  await expect(redeem(other, key)).rejects.toMatchObject({ code: 'preview_invalid' })
  await expect(redeem(trader, key, 'MSFT')).rejects.toMatchObject({ code: 'preview_invalid' })
  await expect(redeem(trader, `${key}x`)).rejects.toMatchObject({ code: 'preview_invalid' })
  await expect(redeem(trader, '')).rejects.toMatchObject({ code: 'preview_invalid' })
  const end = new Date(clock.now().getTime() + 120_000)
  await expect(redeem(trader, key, 'AAPL', end)).rejects.toMatchObject({ code: 'preview_expired' })
  const lastInstant = new Date(end.getTime() - 1)
  expect(await redeem(trader, key, 'AAPL', lastInstant)).toMatchObject({ price: '187.520000' })
  await expect(redeem(trader, key)).rejects.toMatchObject({ code: 'preview_used' })
})

test('a key used in a transaction that fails is as good as before', async () => {
  const { db, clock } = testApp
  const trader = await makeTrader(testApp)
  const key = String((await preview(trader, 'AAPL')).body.key)
  const redeem = { traderId: trader.userId, key, symbol: 'AAPL' }
  const failed = withTransaction(db, async (tx) => {
    await redeemPreview(tx, redeem, clock.now())
    throw new Error('later')
  })
  await expect(failed).rejects.toThrow('later')
  await expect(withTransaction(db, (tx) => redeemPreview(tx, redeem, clock.now()))).resolves.toBeTruthy()
})

test('previews are forgotten a day after they expired, no sooner', async () => {
  const { pool, clock } = testApp
  const trader = await makeTrader(testApp)
  await preview(trader, 'AAPL')
  const mine = async () =>
    (await pool.query('select 1 from price_previews where trader_id = $1', [trader.userId])).rowCount
  const keptUntil = clock.now().getTime() + 120_000 + 86_400_000
  await runPurges(testApp, new Date(keptUntil))
  expect(await mine()).toBe(1)
  await runPurges(testApp, new Date(keptUntil + 1))
  expect(await mine()).toBe(0)
})
