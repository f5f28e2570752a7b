import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import {
  call,
  close,
  completePayouts,
  makeTrader,
  NOTES,
  open,
  readTables,
  subscribe,
  takeKey,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const NEXT_DAY = new Date('2026-03-05T00:00:00.000Z')

const send = (who: SignedIn, payload: object) => call(testApp, who, 'POST', '/v1/positions/close', payload)

async function expectRefused(who: SignedIn, payload: object, status: number, code: string): Promise<string> {
  const before = await readTables(testApp)
  const answer = await send(who, payload)
  expect(answer).toMatchObject({ status, body: { code, message: expect.any(String) } })
  expect(await readTables(testApp)).toEqual(before)
  return String(answer.body.message)
}

test('a position closes the next day with its profit and leaves the list', { tags: ['API-21'] }, async () => {
  const trader = await makeTrader(testApp)
  const opened = (await open(testApp, quotes, trader, 'AAPL', 100)).body.position as { id: string }
  testApp.clock.set(NEXT_DAY)
  const { status, body } = await close(testApp, quotes, trader, 'AAPL', 112.345)
  expect(status).toBe(200)
  expect(body).toEqual({
    position: {
      ...opened,
      active: false,
      closePrice: 112.345,
      closedAt: '2026-03-05T00:00:00.000Z',
      closeNotes: NOTES,
      percentageGain: 12.35,
    },
  })
  expect((await call(testApp, trader, 'GET', '/v1/positions')).body).toEqual({ positions: [] })
  const profile = await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)
  expect(profile.body.latestPositions).toEqual([
    {
      symbol: 'AAPL',
      opened: '2026-03-04T15:00:00.000Z',
      closed: '2026-03-05T00:00:00.000Z',
      percentageGain: 12.35,
    },
  ])
})

test('with the close come its event, the work of its reader and the exact count', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 3)
  testApp.clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'AAPL', 4)
  const events = await testApp.pool.query(
    'select event_no, kind from position_events where trader_id = $1 order by event_no',
    [trader.userId],
  )
  expect(events.rows).toEqual([
    { event_no: 1, kind: 'opened' },
    { event_no: 2, kind: 'closed' },
  ])
  const work = await testApp.pool.query(
    "select 1 from event_work where trader_id = $1 and event_no = 2 and reader = 'mail'",
    [trader.userId],
  )
  expect(work.rowCount).toBe(1)
  const stats = await testApp.pool.query(
    'select open_count, closed_count, gain_sum, gain_avg from trader_stats where trader_id = $1',
    [trader.userId],
  )
  const gain = '33.333333333333'
  expect(stats.rows).toEqual([{ open_count: 0, closed_count: 1, gain_sum: gain, gain_avg: gain }])
  const position = await testApp.pool.query(
    'select percentage_gain, override_used from positions where trader_id = $1',
    [trader.userId],
  )
  expect(position.rows).toEqual([{ percentage_gain: gain, override_used: false }])
})

test.each([
  ['2026-03-04T14:30:00.000Z', '2026-03-04T20:59:59.999Z', false],
  ['2026-03-04T20:59:59.999Z', '2026-03-04T23:59:59.999Z', false],
  ['2026-03-04T20:59:59.999Z', '2026-03-05T00:00:00.000Z', true],
  ['2026-03-06T15:00:00.000Z', '2026-03-08T03:00:00.000Z', true],
])(
  'a position opened at %s can be closed at %s: %s',
  { tags: ['DLG-13'] },
  async (openedAt, closedAt, closable) => {
    const trader = await makeTrader(testApp)
    testApp.clock.set(new Date(openedAt))
    await open(testApp, quotes, trader, 'AAPL', 5)
    testApp.clock.set(new Date(closedAt))
    const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
    const order = { symbol: 'AAPL', key, closeNotes: NOTES }
    if (closable) {
      expect((await send(trader, order)).status).toBe(200)
    } else {
      expect(await expectRefused(trader, order, 409, 'same_day')).toBe(
        'You cannot close this position on the same day',
      )
    }
  },
)

test('a close that is refused a millisecond before midnight is done at midnight, with the same key', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  testApp.clock.set(new Date('2026-03-04T23:59:59.999Z'))
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  const order = { symbol: 'AAPL', key, closeNotes: NOTES }
  await expectRefused(trader, order, 409, 'same_day')
  testApp.clock.advance(1)
  expect((await send(trader, order)).status).toBe(200)
})

test('the database itself refuses a close on the day of the opening', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  const closeAt = (instant: string, overrideUsed: boolean) =>
    testApp.pool.query(
      `update positions set closed_at = $2, close_price = 6, close_notes = 'ten or more', percentage_gain = 20,
       close_preview_id = $4, override_used = $3 where trader_id = $1`,
      [trader.userId, instant, overrideUsed, randomUUID()],
    )
  const refused = { code: '23514', message: expect.stringContaining('positions_never_closed_early') }
  await expect(closeAt('2026-03-04T23:59:59.999Z', false)).rejects.toMatchObject(refused)
  await expect(closeAt('2026-03-03T12:00:00.000Z', false)).rejects.toMatchObject(refused)
  await closeAt('2026-03-05T00:00:00.000Z', false)
})

test('the day is that of UTC whatever the zone of the database session', async () => {
  const trader = await makeTrader(testApp)
  testApp.clock.set(new Date('2026-03-04T14:30:00.000Z'))
  await open(testApp, quotes, trader, 'AAPL', 5)
  const client = await testApp.pool.connect()
  try {
    await client.query("set timezone to 'Pacific/Kiritimati'")
    const early = client.query(
      `update positions set closed_at = '2026-03-04T20:00:00Z', close_price = 6, close_notes = 'ten or more',
       percentage_gain = 20, close_preview_id = '${randomUUID()}' where trader_id = '${trader.userId}'`,
    )
    await expect(early).rejects.toThrow('positions_never_closed_early')
  } finally {
    client.release(true)
  }
})

test('only the owner closes a position, and no call names that of another', {
  tags: ['DLG-20', 'ROLE-06'],
}, async () => {
  const owner = await makeTrader(testApp)
  const subscriber = await makeTrader(testApp)
  const nobody = await signIn(testApp)
  await completePayouts(testApp, owner)
  await subscribe(testApp, subscriber, owner)
  await open(testApp, quotes, owner, 'AAPL', 5)
  testApp.clock.set(NEXT_DAY)
  const order = {
    symbol: 'AAPL',
    key: await takeKey(testApp, quotes, subscriber, 'AAPL', 6),
    closeNotes: NOTES,
  }
  for (const stranger of [subscriber, nobody]) {
    expect(await expectRefused(stranger, order, 404, 'position_not_found')).toBe(
      'You have no open position in AAPL.',
    )
  }
  const withId = { ...order, id: 'anything', user: owner.username, traderId: owner.userId }
  await expectRefused(subscriber, withId, 404, 'position_not_found')
  const list = await call(testApp, owner, 'GET', '/v1/positions')
  expect(list.body.positions).toMatchObject([{ stock: 'AAPL', active: true }])
})

test.each([
  ['notes of 9 characters', { closeNotes: 'x'.repeat(9) }, 422, 'notes_too_short'],
  ['notes of nothing to see', { closeNotes: '\u200b\u2060'.repeat(10) }, 422, 'notes_too_short'],
  ['notes of 501 characters', { closeNotes: 'x'.repeat(501) }, 422, 'notes_too_long'],
  ['notes with NUL', { closeNotes: `${NOTES}\u0000` }, 400, 'bad_request'],
  ['no notes', { closeNotes: null }, 400, 'bad_request'],
  ['no symbol', { symbol: '' }, 422, 'symbol_required'],
  ['an impossible symbol', { symbol: '%' }, 422, 'symbol_invalid'],
  ['a symbol never opened', { symbol: 'MSFT' }, 404, 'position_not_found'],
  ['an unknown key', { key: 'nonsense' }, 422, 'preview_invalid'],
])('closing with %s is refused and changes nothing', async (_n, changes, status, code) => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  testApp.clock.set(NEXT_DAY)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  await expectRefused(trader, { symbol: 'AAPL', key, closeNotes: NOTES, ...changes }, status, code)
})

test('closing with a foreign, expired, used or other key is refused', async () => {
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  await open(testApp, quotes, trader, 'MSFT', 5)
  testApp.clock.set(NEXT_DAY)
  const order = (key: string) => ({ symbol: 'AAPL', key, closeNotes: NOTES })
  await expectRefused(trader, order(await takeKey(testApp, quotes, other, 'AAPL', 6)), 422, 'preview_invalid')
  const forMsft = await takeKey(testApp, quotes, trader, 'MSFT', 6)
  await expectRefused(trader, order(forMsft), 422, 'preview_invalid')
  await call(testApp, trader, 'POST', '/v1/positions/close', {
    symbol: 'MSFT',
    key: forMsft,
    closeNotes: NOTES,
  })
  const late = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  testApp.clock.advance(120_000)
  await expectRefused(trader, order(late), 409, 'preview_expired')

  // A key is not bound to opening or closing; used for one, it is used for the other.
  testApp.clock.set(new Date('2026-03-05T15:00:00.000Z'))
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  expect((await send(trader, order(key))).status).toBe(200)
  const reopen = await call(testApp, trader, 'POST', '/v1/positions/open', {
    symbol: 'AAPL',
    key,
    openNotes: NOTES,
    positionLength: 'less_than_one_week',
  })
  expect(reopen).toMatchObject({ status: 409, body: { code: 'preview_used' } })
})

test('a position closes at the previewed price, of any age and at any hour', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  testApp.clock.set(new Date('2026-03-08T03:00:00Z'))
  quotes.set('AAPL', { price: 90, at: new Date('2026-03-06T21:00:00Z') })
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'AAPL' })
  quotes.set('AAPL', { price: 500, at: testApp.clock.now() })
  const { body } = await send(trader, { symbol: 'aapl', key: String(preview.body.key), closeNotes: NOTES })
  expect(body.position).toMatchObject({ closePrice: 90, percentageGain: -10 })
})

test('close notes are kept without blanks around them, and without what turns their direction', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 5)
  testApp.clock.set(NEXT_DAY)
  const key = await takeKey(testApp, quotes, trader, 'AAPL', 6)
  const closeNotes = ' \u202eTarget reached\u2066 before earnings.\n'
  const { body } = await send(trader, { symbol: 'AAPL', key, closeNotes })
  expect(body.position).toMatchObject({ closeNotes: 'Target reached before earnings.' })
  const { rows } = await testApp.pool.query('select close_notes from positions where trader_id = $1', [
    trader.userId,
  ])
  expect(rows).toEqual([{ close_notes: 'Target reached before earnings.' }])
})

test('a position closes on the same day under the override, and the row records why', async () => {
  await using forced = await buildTestApp({
    quotes,
    settings: { marketOverride: 'open' },
  })
  const trader = await makeTrader(forced)
  await open(forced, quotes, trader, 'AAPL', 5)
  await open(forced, quotes, trader, 'MSFT', 5)
  expect((await close(forced, quotes, trader, 'AAPL', 6)).status).toBe(200)
  forced.clock.set(NEXT_DAY)
  expect((await close(forced, quotes, trader, 'MSFT', 6)).status).toBe(200)
  const { rows } = await forced.pool.query('select symbol, override_used from positions order by symbol')
  expect(rows).toEqual([
    { symbol: 'AAPL', override_used: true },
    { symbol: 'MSFT', override_used: false },
  ])
})

test('with the hours forced alone the same day is refused, and a later one closes by the rule', async () => {
  await using sandbox = await buildTestApp({
    quotes,
    now: new Date('2026-03-08T03:00:00Z'),
    settings: { marketOverride: 'hours' },
  })
  const trader = await makeTrader(sandbox)
  await open(sandbox, quotes, trader, 'AAPL', 5)
  expect(await close(sandbox, quotes, trader, 'AAPL', 6)).toMatchObject({
    status: 409,
    body: { code: 'same_day' },
  })
  sandbox.clock.set(new Date('2026-03-09T00:00:00Z'))
  expect((await close(sandbox, quotes, trader, 'AAPL', 6)).status).toBe(200)
  const { rows } = await sandbox.pool.query('select override_used from positions')
  expect(rows).toEqual([{ override_used: false }])
})
