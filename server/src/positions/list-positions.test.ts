import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, moveSubscription, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in.ts'

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

test('nothing of a person but the username is in the answer', async () => {
  testApp.clock.set(TEST_NOW)
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 1)
  await subscribe(testApp, viewer, trader)
  const text = JSON.stringify(await list(viewer))
  expect(text).toContain(trader.username)
  for (const secret of [trader.userId, trader.email, viewer.userId]) expect(text).not.toContain(secret)
})
