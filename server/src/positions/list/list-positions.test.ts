import { positionsAnswer } from '@tradepost/contract/positions'
import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import {
  call,
  close,
  makeTrader,
  moveSubscription,
  open,
  raiseEventNumber,
  subscribe,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { readListOfToday, setList } from '../../../test/prices/symbol-list.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

type Listed = { stock: string; user: string; openNotes: string; openedAt: string }

async function list(who: SignedIn): Promise<Listed[]> {
  const { status, body } = await call(testApp, who, 'GET', '/v1/positions')
  expect(status).toBe(200)
  return body.positions as Listed[]
}

test('somebody new has no positions', { tags: ['API-22'] }, async () => {
  expect(await list(await signIn(testApp))).toEqual([])
})

test('the list holds own active positions and those of traders followed, nothing else', {
  tags: ['POS-18'],
}, async () => {
  testApp.clock.set(TEST_NOW)
  const [viewer, followed, stranger] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  await open(testApp, quotes, followed, 'BEFORE', 1)
  await open(testApp, quotes, followed, 'GONE', 1)
  await subscribe(testApp, viewer, followed)
  testApp.clock.advance(1000)
  await open(testApp, quotes, followed, 'AFTER', 1)
  testApp.clock.advance(1000)
  await open(testApp, quotes, viewer, 'MINE', 1)
  await open(testApp, quotes, stranger, 'SECRET', 1)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, followed, 'GONE', 1)

  expect((await list(viewer)).map(({ stock, user }) => [stock, user])).toEqual([
    ['MINE', viewer.username],
    ['AFTER', followed.username],
    ['BEFORE', followed.username],
  ])
  expect((await list(followed)).map(({ stock }) => stock)).toEqual(['AFTER', 'BEFORE'])
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s shows positions if it is entitled',
  async (status) => {
    testApp.clock.set(TEST_NOW)
    const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
    await open(testApp, quotes, trader, 'AAPL', 1)
    await subscribe(testApp, viewer, trader, status)
    const entitled = ['active', 'trialing', 'past_due'].includes(status)
    expect((await list(viewer)).length).toBe(entitled ? 1 : 0)
  },
)

test('positions vanish with the entitlement and come back with it', async () => {
  testApp.clock.set(TEST_NOW)
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 1)
  const id = await subscribe(testApp, viewer, trader)
  const seen = []
  for (const status of ['past_due', 'unpaid', 'active', 'canceled'] as const) {
    await moveSubscription(testApp, trader, id, status)
    seen.push((await list(viewer)).length)
  }
  expect(seen).toEqual([1, 0, 1, 0])
})

test('own positions are never cut, and of the others come the newest 500', async () => {
  const [viewer, trader] = [await makeTrader(testApp), await makeTrader(testApp)]
  await subscribe(testApp, viewer, trader)
  const insert = (who: SignedIn, count: number) =>
    testApp.pool.query(
      `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
       select $1, gen_random_uuid(), 'S' || n, 'less_than_one_week', 1, 'ten or more',
         timestamptz '2026-03-01T15:00:00Z' + n * interval '1 minute', gen_random_uuid()
       from generate_series(1, $2::int) n`,
      [who.userId, count],
    )
  await insert(viewer, 501)
  await insert(trader, 501)
  const positions = await list(viewer)
  const own = positions.filter(({ user }) => user === viewer.username)
  const others = positions.filter(({ user }) => user === trader.username)
  expect([own.length, others.length]).toEqual([501, 500])
  expect(others.map(({ stock }) => stock)).not.toContain('S1')
})

test('a listed position is answered byte for byte as the contract writes it, whatever its notes and its price are', async () => {
  testApp.clock.set(new Date('2026-03-04T15:00:00.070Z'))
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await subscribe(testApp, viewer, trader)
  const notes = 'She said "buy" \\ <b>\t\u2028 é 🚀 at\nthe open.'
  const insert = async (symbol: string, price: string, openedAt: string) => {
    await testApp.pool.query(
      `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
       values ($1, '018f0000-0000-7000-8000-000000000001', $2, 'more_than_six_months', $3, $4, $5, gen_random_uuid())
       on conflict (trader_id, id) do update set symbol = excluded.symbol, open_price = excluded.open_price, opened_at = excluded.opened_at`,
      [trader.userId, symbol, price, notes, openedAt],
    )
    await raiseEventNumber(testApp, trader)
  }
  const text = async () =>
    (await testApp.app.inject({ url: '/v1/positions', headers: bearer(await tokenOf(testApp, viewer)) })).body
  const fields = (stock: string, openPrice: number, openedAt: string, publicAt: string) => ({
    id: '018f0000-0000-7000-8000-000000000001',
    active: true,
    stock,
    holdLength: 'more_than_six_months',
    openNotes: notes,
    openPrice,
    openedAt,
    user: trader.username,
    // 366 days later.
    publicAt,
  })
  await insert('BRK.B', '187.520000', '2026-03-04T15:00:00.070Z')
  const bare = {
    positions: [fields('BRK.B', 187.52, '2026-03-04T15:00:00.070Z', '2027-03-05T15:00:00.070Z')],
  }
  expect(await text()).toBe(JSON.stringify(bare))
  expect(positionsAnswer.parse(bare), 'no field that the contract does not name').toEqual(bare)
  await insert('BRK.B', '0.000123', '2026-12-31T23:59:59.999Z')
  expect(await text()).toBe(
    JSON.stringify({
      positions: [fields('BRK.B', 0.000123, '2026-12-31T23:59:59.999Z', '2028-01-01T23:59:59.999Z')],
    }),
  )
  await insert('BRK.B', '123456789012.345678', '2026-12-31T23:59:59.999Z')
  expect(await text(), 'more digits than a float has').toContain('"openPrice":123456789012.345678,')
  setList(quotes, [['BRK.B', 'Berkshire "B" & Co']])
  await readListOfToday(testApp, quotes)
  await insert('BRK.B', '700000', '2026-03-04T15:00:00.000Z')
  const named = {
    ...fields('BRK.B', 700000, '2026-03-04T15:00:00.000Z', '2027-03-05T15:00:00.000Z'),
    companyName: 'Berkshire "B" & Co',
  }
  expect(await text()).toBe(JSON.stringify({ positions: [named] }))
  expect(positionsAnswer.parse({ positions: [named] })).toEqual({ positions: [named] })
})

test('nothing of a person but the username is in the answer', async () => {
  testApp.clock.set(TEST_NOW)
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 1)
  await subscribe(testApp, viewer, trader)
  const text = JSON.stringify(await list(viewer))
  expect(text).toContain(trader.username)
  for (const secret of [trader.userId, trader.email, viewer.userId]) expect(text).not.toContain(secret)
})
