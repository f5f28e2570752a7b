import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import {
  type Answer,
  call,
  makeTrader,
  NOTES,
  open,
  readTables,
  type Trader,
  takeKey,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')

const setPrice = (symbol: string, price: number) => quotes.set(symbol, { price, at: testApp.clock.now() })
const silence = (symbol: string) => quotes.set(symbol, (response) => response.writeHead(500).end())
const sendOpen = (who: Trader, symbol: string, key: unknown): Promise<Answer> =>
  call(testApp, who, 'POST', '/v1/positions/open', {
    symbol,
    key,
    openNotes: NOTES,
    positionLength: 'one_to_three_weeks',
  })
const sendClose = (who: Trader, symbol: string, key: unknown): Promise<Answer> =>
  call(testApp, who, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })

/** A trader who opened at 100 a day ago. */
async function makeHolder(symbol: string): Promise<Trader> {
  testApp.clock.set(TEST_NOW)
  const trader = await makeTrader(testApp)
  expect((await open(testApp, quotes, trader, symbol, 100)).status).toBe(201)
  testApp.clock.set(NEXT_DAY)
  return trader
}

async function timesAsked(symbol: string, work: () => Promise<unknown>): Promise<number> {
  const asked = () => quotes.asked.filter((question) => question.symbol === symbol).length
  const before = asked()
  await work()
  return asked() - before
}

test('a person who goes straight on gets the price they saw, whatever it has become, and nobody asks again', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'STRT', 100)
  testApp.clock.advance(5000)
  setPrice('STRT', 105)
  const asked = await timesAsked('STRT', async () => {
    const { status, body } = await sendOpen(trader, 'STRT', key)
    expect({ status, ...body }).toMatchObject({ status: 201, position: { openPrice: 100 } })
  })
  expect(asked).toBe(0)
})

test('a price that the market has left behind opens nothing, and the answer brings the new one with its key', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'MOVE', 100)
  testApp.clock.advance(5001)
  setPrice('MOVE', 100.06)
  const moved = await sendOpen(trader, 'MOVE', key)
  expect(moved).toEqual({
    status: 409,
    body: {
      code: 'price_moved',
      message: 'The price has moved. Check it again.',
      requestId: expect.any(String),
      price: '100.06',
      symbol: 'MOVE',
      key: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: '2026-03-04T15:02:05.001Z',
      expiresInSeconds: 120,
      tradedAt: '2026-03-04T15:00:05.000Z',
    },
  })
  const { rowCount } = await testApp.pool.query('select 1 from position_events where trader_id = $1', [
    trader.userId,
  ])
  expect(rowCount).toBe(0)
  expect(await sendOpen(trader, 'MOVE', key), 'the old key has ended').toMatchObject({
    status: 409,
    body: { code: 'preview_expired' },
  })
  const { status, body } = await sendOpen(trader, 'MOVE', moved.body.key)
  expect({ status, ...body }).toMatchObject({ status: 201, position: { openPrice: 100.06 } })
})

test('a price that is worse than the market is recorded as it was seen, at either end', async () => {
  const trader = await makeHolder('WAIT')
  const closing = await takeKey(testApp, quotes, trader, 'WAIT', 100)
  testApp.clock.advance(60_000)
  setPrice('WAIT', 118)
  expect((await sendClose(trader, 'WAIT', closing)).body.position).toMatchObject({ closePrice: 100 })
  const opening = await takeKey(testApp, quotes, trader, 'WAIT', 118)
  testApp.clock.advance(60_000)
  setPrice('WAIT', 90)
  expect((await sendOpen(trader, 'WAIT', opening)).body.position).toMatchObject({ openPrice: 118 })
})

test('a close at a price from before a fall is refused, and the next press closes at the price of now', async () => {
  const trader = await makeHolder('FALL')
  const key = await takeKey(testApp, quotes, trader, 'FALL', 125)
  testApp.clock.advance(6000)
  setPrice('FALL', 110)
  const moved = await sendClose(trader, 'FALL', key)
  expect(moved).toMatchObject({ status: 409, body: { code: 'price_moved', price: '110' } })
  const { body } = await sendClose(trader, 'FALL', moved.body.key)
  expect(body.position).toMatchObject({ closePrice: 110, percentageGain: 10 })
})

test('checks in a row are no way to choose: the second one is asked about, of whatever ticker and however young, for a day', async () => {
  const trader = await makeTrader(testApp)
  await takeKey(testApp, quotes, trader, 'ELSE', 100)
  testApp.clock.set(new Date(testApp.clock.now().getTime() + 86_399_999))
  const key = await takeKey(testApp, quotes, trader, 'POLL', 100)
  setPrice('POLL', 105)
  expect(await sendOpen(trader, 'POLL', key)).toMatchObject({ status: 409, body: { code: 'price_moved' } })
  testApp.clock.advance(86_400_000)
  const later = await takeKey(testApp, quotes, trader, 'POLL', 105)
  setPrice('POLL', 110)
  expect((await sendOpen(trader, 'POLL', later)).body.position).toMatchObject({ openPrice: 105 })
})

test('a check ends the earlier key of its ticker, and a fourth ticker the oldest of three', async () => {
  const trader = await makeTrader(testApp)
  const first = await takeKey(testApp, quotes, trader, 'KEYA', 10)
  const second = await takeKey(testApp, quotes, trader, 'KEYA', 10)
  expect((await sendOpen(trader, 'KEYA', first)).body.code).toBe('preview_expired')
  const others = [
    await takeKey(testApp, quotes, trader, 'KEYB', 10),
    await takeKey(testApp, quotes, trader, 'KEYC', 10),
  ]
  const fourth = await takeKey(testApp, quotes, trader, 'KEYD', 10)
  expect((await sendOpen(trader, 'KEYA', second)).body.code).toBe('preview_expired')
  for (const [symbol, key] of [
    ['KEYB', others[0]],
    ['KEYC', others[1]],
    ['KEYD', fourth],
  ]) {
    expect((await sendOpen(trader, String(symbol), key)).status, String(symbol)).toBe(201)
  }
})

test('keys of one person end none of another', async () => {
  const [one, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const key = await takeKey(testApp, quotes, one, 'MINE', 10)
  for (const symbol of ['MINE', 'THEM', 'THEY', 'THOSE']) await takeKey(testApp, quotes, other, symbol, 10)
  expect((await sendOpen(one, 'MINE', key)).status).toBe(201)
})

test('of many checks at once, three tickers have a key and each of them one', async () => {
  const trader = await makeTrader(testApp)
  const symbols = ['RACA', 'RACB', 'RACC', 'RACD', 'RACE', 'RACA', 'RACB']
  await Promise.all(symbols.map((symbol) => takeKey(testApp, quotes, trader, symbol, 10)))
  const { rows } = await testApp.pool.query(
    'select symbol from price_previews where trader_id = $1 and expires_at > $2',
    [trader.userId, testApp.clock.now()],
  )
  expect(rows.length).toBe(3)
  expect(new Set(rows.map((row) => row.symbol)).size).toBe(3)
})

test('without an answer of the provider an opening is refused, changes nothing, and its key stays good', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AWAY', 10)
  testApp.clock.advance(5001)
  silence('AWAY')
  const before = await readTables(testApp)
  expect(await sendOpen(trader, 'AWAY', key)).toMatchObject({
    status: 503,
    body: { code: 'price_unavailable' },
  })
  expect(await readTables(testApp)).toEqual(before)
  setPrice('AWAY', 10)
  expect((await sendOpen(trader, 'AWAY', key)).status).toBe(201)
})

test('opening needs a trade of the last two minutes, at the check and when it opens', async () => {
  const trader = await makeTrader(testApp)
  const check = async (symbol: string, secondsOld: number) => {
    quotes.set(symbol, { price: 5, at: new Date(testApp.clock.now().getTime() - secondsOld * 1000) })
    return (await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })).body
  }
  const justInTime = await check('FRESH', 119)
  testApp.clock.advance(1000)
  expect((await sendOpen(trader, 'FRESH', justInTime.key)).status).toBe(201)

  const old = await check('OLD', 120)
  testApp.clock.advance(1)
  const refused = await sendOpen(trader, 'OLD', old.key)
  expect(refused).toMatchObject({ status: 409, body: { code: 'price_stale' } })
  expect(refused.body.message).toBe('There is no fresh price for OLD right now.')

  const yesterdays = await check('NIGHT', 50_000)
  expect(yesterdays.tradedAt).toBe('2026-03-04T01:06:41.000Z')
  testApp.clock.advance(10_000)
  quotes.set('NIGHT', { price: 5, at: testApp.clock.now() })
  expect((await sendOpen(trader, 'NIGHT', yesterdays.key)).body.code, 'old at the check').toBe('price_stale')

  const soon = await check('SLOW', 100)
  testApp.clock.advance(30_000)
  quotes.set('SLOW', { price: 5, at: testApp.clock.now() })
  expect((await sendOpen(trader, 'SLOW', soon.key)).status, 'traded since').toBe(201)
})

test('a summer evening opens nothing at the price of the exchange’s close', async () => {
  testApp.clock.set(new Date('2026-07-01T20:14:00.000Z'))
  const trader = await makeTrader(testApp)
  quotes.set('EVE', { price: 100, at: new Date('2026-07-01T20:00:00.000Z') })
  const { body } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'EVE' })
  expect((await sendOpen(trader, 'EVE', body.key)).body.code).toBe('price_stale')
})

test('a share below a dollar cannot be opened, one of a dollar can', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'PENNY', 0.9999)
  expect(await sendOpen(trader, 'PENNY', key)).toMatchObject({
    status: 409,
    body: { code: 'price_too_low', message: 'Positions can be opened from $1.00.' },
  })
  expect((await open(testApp, quotes, trader, 'BUCK', 1)).status).toBe(201)
})

/** Opens as many positions in as many tickers, one a `stepMs`. @returns the answers */
async function openMany(
  trader: Trader,
  { from, until, stepMs }: { from: number; until: number; stepMs: number },
) {
  const answers: Answer[] = []
  for (let index = from; index < until; index += 1) {
    answers.push(await open(testApp, quotes, trader, `LIM${index}`, 10))
    testApp.clock.advance(stepMs)
  }
  return answers
}

test('the twenty-first opening of an hour waits, and the operator is notified of the second refusal of a day', async () => {
  const trader = await makeTrader(testApp)
  const opened = await openMany(trader, { from: 0, until: 20, stepMs: 60_000 })
  expect(opened.map(({ status }) => status)).toEqual(Array(20).fill(201))
  const key = await takeKey(testApp, quotes, trader, 'LIM20', 10)
  const response = await testApp.app.inject({
    method: 'POST',
    url: '/v1/positions/open',
    headers: { authorization: `Bearer ${trader.token}` },
    payload: { symbol: 'LIM20', key, openNotes: NOTES, positionLength: 'one_to_three_weeks' },
  })
  expect(response.json()).toMatchObject({
    code: 'too_many_openings',
    message: 'You have opened many positions. Please wait before opening another.',
  })
  expect(response.statusCode).toBe(429)
  // The first of the twenty was twenty minutes ago.
  expect(response.headers['retry-after']).toBe('2400')
  const noticesSent = async () =>
    (
      await testApp.pool.query("select facts ->> 'subject' as subject from outbox where cause = $1", [
        `openings:${trader.userId}`,
      ])
    ).rows
  expect(await noticesSent()).toEqual([])
  expect((await sendOpen(trader, 'LIM20', key)).status).toBe(429)
  expect(await noticesSent()).toEqual([{ subject: `@${trader.username} opens very many positions` }])
  expect((await open(testApp, quotes, await makeTrader(testApp), 'AAPL', 10)).status, 'another person').toBe(
    201,
  )
  testApp.clock.advance(2_400_000)
  expect((await open(testApp, quotes, trader, 'LIM20', 10)).status, 'an hour after the first').toBe(201)
})

test('the sixty-first opening of a day waits', async () => {
  testApp.clock.set(new Date('2026-03-04T14:30:00.000Z'))
  const trader = await makeTrader(testApp)
  for (const hour of [0, 1, 2]) {
    const opened = await openMany(trader, { from: hour * 20, until: hour * 20 + 20, stepMs: 180_000 })
    expect(opened.map(({ status }) => status)).toEqual(Array(20).fill(201))
  }
  testApp.clock.advance(3_600_000)
  expect((await open(testApp, quotes, trader, 'LIM60', 10)).status).toBe(429)
  testApp.clock.set(new Date('2026-03-05T14:30:00.000Z'))
  expect((await open(testApp, quotes, trader, 'LIM60', 10)).status, 'a day after the first').toBe(201)
})
