import { HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { call, makeTrader, NOTES, open, readTables, setMark, takeKey } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const send = (who: SignedIn, payload: object) => call(testApp, who, 'POST', '/v1/positions/open', payload)
const order = (key: string, changes: object = {}) => ({
  symbol: 'AAPL',
  key,
  openNotes: NOTES,
  positionLength: 'one_to_three_weeks',
  ...changes,
})

/** Sends an order that must be refused, and sees that nothing was changed by it. */
async function expectRefused(who: SignedIn, payload: object, status: number, code: string): Promise<string> {
  const before = await readTables(testApp)
  const answer = await send(who, payload)
  expect(answer).toMatchObject({ status, body: { code, message: expect.any(String) } })
  expect(await readTables(testApp)).toEqual(before)
  return String(answer.body.message)
}

test('a position is opened from four fields and answered with its own', {
  tags: ['POS-17', 'TRADE-21', 'API-20', 'API-26'],
}, async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 187.5)
  // Four fields are read and no more: all others are ignored.
  const ignored = { openPrice: 1, openedAt: '2020-01-01T00:00:00.000Z', user: 'somebody', active: false }
  const { status, body } = await send(
    trader,
    order(key, { symbol: ' aapl ', openNotes: `  ${NOTES}\n`, ...ignored }),
  )
  expect(status).toBe(201)
  expect(body).toEqual({
    position: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      active: true,
      stock: 'AAPL',
      holdLength: 'one_to_three_weeks',
      openNotes: NOTES,
      openPrice: 187.5,
      openedAt: '2026-03-04T15:00:00.000Z',
      user: trader.username,
      publicAt: '2026-03-26T15:00:00.000Z',
    },
  })
  const list = await call(testApp, trader, 'GET', '/v1/positions')
  expect(list.body).toEqual({ positions: [body.position] })
})

test('with the position come its event, the work of its reader and its count', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 10)
  await open(testApp, quotes, trader, 'MSFT', 20)
  const events = await testApp.pool.query(
    `select event_no, kind, reader from position_events join event_work using (trader_id, event_no)
     where trader_id = $1 order by event_no`,
    [trader.userId],
  )
  expect(events.rows).toEqual([
    { event_no: 1, kind: 'opened', reader: 'mail' },
    { event_no: 2, kind: 'opened', reader: 'mail' },
  ])
  const stats = await testApp.pool.query(
    'select open_count, closed_count, gain_sum, gain_avg from trader_stats where trader_id = $1',
    [trader.userId],
  )
  expect(stats.rows).toEqual([
    { open_count: 2, closed_count: 0, gain_sum: expect.stringMatching(/^0(\.0+)?$/), gain_avg: null },
  ])
})

test('the recorded price is the previewed one, not the one that the market went to', {
  tags: ['TRADE-30'],
}, async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 187.52)
  testApp.clock.advance(60_000)
  quotes.set('AAPL', { price: 150, at: testApp.clock.now() })
  const { body } = await send(trader, order(key))
  expect(body.position).toMatchObject({ openPrice: 187.52 })
  const { rows } = await testApp.pool.query('select open_price from positions where trader_id = $1', [
    trader.userId,
  ])
  expect(rows).toEqual([{ open_price: '187.520000' }])
})

test('each of the five hold lengths is accepted', async () => {
  const trader = await makeTrader(testApp)
  for (const [index, positionLength] of HOLD_LENGTHS.entries()) {
    const symbol = `HL${index}`
    const key = await takeKey(testApp, quotes, trader, symbol, 1)
    expect((await send(trader, order(key, { symbol, positionLength }))).status).toBe(201)
  }
})

test('opening and price checks need a username, which is a refusal and no sign-out, and no payouts', {
  tags: ['TRADE-26', 'ROLE-08'],
}, async () => {
  const nobody = await signIn(testApp)
  expect(await expectRefused(nobody, order('x'), 409, 'username_required')).toBe('Set a username first.')
  quotes.set('AAPL', { price: 5, at: testApp.clock.now() })
  await setMark(testApp, 'AAPL', 5)
  const preview = () => call(testApp, nobody, 'POST', '/v1/positions/preview', { symbol: 'AAPL' })
  expect(await preview()).toMatchObject({ status: 409, body: { code: 'username_required' } })

  await call(testApp, nobody, 'POST', '/v1/accounts/username', { username: 'Namedlater' })
  const checked = await preview()
  expect(checked.status).toBe(200)
  expect((await send(nobody, order(String(checked.body.key)))).status, 'payouts are not needed').toBe(201)
})

test('a username is enough, payouts are not needed', async () => {
  const trader = await makeTrader(testApp)
  expect((await open(testApp, quotes, trader, 'AAPL', 1)).status).toBe(201)
})

test.each([
  ['2026-03-04T14:29:59.999Z', false],
  ['2026-03-04T14:30:00.000Z', true],
  ['2026-03-04T20:59:59.999Z', true],
  ['2026-03-04T21:00:00.000Z', false],
  ['2026-03-07T15:00:00.000Z', false],
  ['2026-03-08T15:00:00.000Z', false],
  ['2026-07-15T13:45:00.000Z', false],
  ['2026-07-15T20:30:00.000Z', true],
])('at %s opening is possible: %s', { tags: ['TRADE-27', 'MKT-05'] }, async (instant, possible) => {
  testApp.clock.set(new Date(instant))
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  if (possible) {
    expect((await send(trader, order(key))).status).toBe(201)
  } else {
    const message = await expectRefused(trader, order(key), 409, 'market_closed')
    expect(message).toBe('The market is currently closed.')
  }
})

test.each([
  ['notes of 9 characters', { openNotes: 'x'.repeat(9) }, 422, 'notes_too_short'],
  ['notes of 9 among spaces', { openNotes: `  ${'x'.repeat(9)}  ` }, 422, 'notes_too_short'],
  ['notes of 501 characters', { openNotes: 'x'.repeat(501) }, 422, 'notes_too_long'],
  ['notes of nothing to see', { openNotes: '\u200b\u2060'.repeat(10) }, 422, 'notes_too_short'],
  ['notes of 251 emoji', { openNotes: '🚀'.repeat(251) }, 422, 'notes_too_long'],
  ['an unknown length', { positionLength: 'for ever' }, 422, 'invalid_length'],
  ['a length that every object has', { positionLength: 'constructor' }, 422, 'invalid_length'],
  ['an empty length', { positionLength: '' }, 422, 'invalid_length'],
  ['no symbol', { symbol: ' ' }, 422, 'symbol_required'],
  ['an impossible symbol', { symbol: 'A\r\nB' }, 422, 'symbol_invalid'],
  ['notes that are no text', { openNotes: 12345678901 }, 400, 'bad_request'],
  ['notes with NUL', { openNotes: `${NOTES}\u0000` }, 400, 'bad_request'],
  ['half a character', { openNotes: `${NOTES}\ud83d` }, 400, 'bad_request'],
  ['no key at all', { key: undefined }, 400, 'bad_request'],
])('%s is refused and uses nothing up', { tags: ['TRADE-29'] }, async (_name, changes, status, code) => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  await expectRefused(trader, order(key, changes), status, code)
  expect((await send(trader, order(key))).status, 'the key is as good as before').toBe(201)
})

test('notes of 10 and of 500 characters are kept as they are', async () => {
  const trader = await makeTrader(testApp)
  for (const [symbol, openNotes] of [
    ['TEN', '0123456789'],
    ['MANY', '🚀'.repeat(250)],
  ] as const) {
    const key = await takeKey(testApp, quotes, trader, symbol, 5)
    const { status, body } = await send(trader, order(key, { symbol, openNotes }))
    expect({ status, notes: (body.position as { openNotes: string }).openNotes }).toEqual({
      status: 201,
      notes: openNotes,
    })
  }
})

test('notes are kept without blanks around them, and without what turns their direction', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  const openNotes = ' \u202eMargins rise\u2066 for the third quarter.\n'
  const { body } = await send(trader, order(key, { openNotes }))
  expect(body.position).toMatchObject({ openNotes: 'Margins rise for the third quarter.' })
  const { rows } = await testApp.pool.query('select open_notes from positions where trader_id = $1', [
    trader.userId,
  ])
  expect(rows).toEqual([{ open_notes: 'Margins rise for the third quarter.' }])
})

test('a bad, foreign, other, used or expired key is refused', { tags: ['TRADE-28'] }, async () => {
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  expect(await expectRefused(trader, order('nonsense'), 422, 'preview_invalid')).toBe(
    'Check the price again.',
  )
  await expectRefused(trader, order(''), 422, 'preview_invalid')
  await expectRefused(other, order(key), 422, 'preview_invalid')
  await expectRefused(trader, order(key, { symbol: 'MSFT' }), 422, 'preview_invalid')

  const late = await takeKey(testApp, quotes, trader, 'LATE', 5)
  testApp.clock.advance(120_000)
  const expired = await expectRefused(trader, order(late, { symbol: 'LATE' }), 409, 'preview_expired')
  expect(expired).toBe('This price has expired. Check the price again.')

  const fresh = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  expect((await send(trader, order(fresh))).status).toBe(201)
  const used = await expectRefused(trader, order(fresh), 409, 'preview_used')
  expect(used).toBe('This price has already been used. Check the price again.')
})

test('of 200 keys with one bit turned, none opens anything', async () => {
  const trader = await makeTrader(testApp)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 5)
  const bytes = Buffer.from(key, 'base64url')
  for (let bit = 0; bit < 200; bit += 1) {
    const turned = Buffer.from(bytes)
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const answer = await send(trader, order(turned.toString('base64url')))
    expect(answer.body.code).toBe('preview_invalid')
  }
})

test('a second open position in a symbol is refused and leaves its key good', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  expect(await expectRefused(trader, order(key), 409, 'position_exists')).toBe(
    'You already have an open position in AAPL. Close it before opening another.',
  )
  testApp.clock.set(new Date('2026-03-05T00:00:00.000Z'))
  const closingKey = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  await call(testApp, trader, 'POST', '/v1/positions/close', {
    symbol: 'AAPL',
    key: closingKey,
    closeNotes: NOTES,
  })
  testApp.clock.set(new Date('2026-03-05T15:00:00.000Z'))
  expect((await open(testApp, quotes, trader, 'AAPL', 7)).status, 'closed, it may be opened again').toBe(201)
})

test('refusals come in the order in which they are listed', async () => {
  const nobody = await signIn(testApp)
  const trader = await makeTrader(testApp)
  testApp.clock.set(new Date('2026-03-07T15:00:00.000Z'))
  const allWrong = { symbol: '?', key: 'x', openNotes: '', positionLength: '' }
  expect((await send(nobody, allWrong)).body.code).toBe('username_required')
  expect((await send(trader, allWrong)).body.code).toBe('market_closed')
  testApp.clock.set(TEST_NOW)
  const codes = []
  for (const payload of [
    allWrong,
    { ...allWrong, symbol: 'AAPL' },
    { ...allWrong, symbol: 'AAPL', positionLength: 'less_than_one_week' },
    { ...allWrong, symbol: 'AAPL', positionLength: 'less_than_one_week', openNotes: NOTES },
  ]) {
    codes.push((await send(trader, payload)).body.code)
  }
  expect(codes).toEqual(['symbol_invalid', 'invalid_length', 'notes_too_short', 'preview_invalid'])
})

test.each(['open', 'hours'] as const)(
  'with the override %s a position opens on a Sunday, at a price of any age',
  async (marketOverride) => {
    await using forced = await buildTestApp({
      now: new Date('2026-03-08T03:00:00Z'),
      quotes,
      settings: { marketOverride },
    })
    const trader = await makeTrader(forced)
    quotes.set('AAPL', { price: 5, at: new Date('2026-03-06T21:00:00Z') })
    const preview = await call(forced, trader, 'POST', '/v1/positions/preview', { symbol: 'AAPL' })
    const answer = await call(forced, trader, 'POST', '/v1/positions/open', order(String(preview.body.key)))
    expect(answer.status).toBe(201)
  },
)
