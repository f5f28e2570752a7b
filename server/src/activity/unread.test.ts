import { afterAll, beforeEach, expect, test } from 'vitest'
import { countUnread, inShort, markRead, readActivity } from '../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, makeTrader, moveSubscription, open, subscribe } from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { insertSession, signIn } from '../../test/sign-in/sign-in.ts'
import { newId } from '../platform/ids.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

async function follow() {
  const trader = await makeTrader(testApp)
  const person = await signIn(testApp)
  const id = await subscribe(testApp, person, trader)
  return { trader, person, id }
}

test('what was shown is read on every device, and what came meanwhile is not', {
  tags: ['ACT-02'],
}, async () => {
  const { trader, person } = await follow()
  const sessionId = newId()
  await insertSession(testApp.db, {
    id: sessionId,
    user_id: person.userId,
    aal: 'aal1',
    amr: '[]',
    successor_seen: true,
    created_at: TEST_NOW,
    refreshed_at: TEST_NOW,
  })
  const elsewhere = { ...person, sessionId }
  await open(testApp, quotes, trader, 'AAPL', 100)
  await open(testApp, quotes, trader, 'MSFT', 100)
  expect([await countUnread(testApp, person), await countUnread(testApp, elsewhere)]).toEqual([2, 2])

  const page = await readActivity(testApp, person)
  expect(page.items.map(({ unread }) => unread)).toEqual([true, true])
  expect(await countUnread(testApp, person)).toBe(2)
  await open(testApp, quotes, trader, 'NVDA', 100)
  for (let time = 0; time < 2; time += 1) expect(await markRead(testApp, person, page.seen)).toBe(1)
  expect(await countUnread(testApp, elsewhere)).toBe(1)
  const after = await readActivity(testApp, elsewhere)
  expect(after.items.map(({ symbol, unread }) => [symbol, unread])).toEqual([
    ['NVDA', true],
    ['MSFT', false],
    ['AAPL', false],
  ])
  expect(await markRead(testApp, elsewhere, after.seen)).toBe(0)
  // An older page, of a window that was left open, takes nothing back.
  expect(await markRead(testApp, person, page.seen)).toBe(0)
  expect((await readActivity(testApp, person)).seen).toBeNull()
})

test('only what one is entitled to counts, and nothing of one’s own', async () => {
  const { trader, person, id } = await follow()
  await open(testApp, quotes, trader, 'AAPL', 100)
  await moveSubscription(testApp, trader, id, 'canceled')
  await open(testApp, quotes, trader, 'MSFT', 100)
  expect([await countUnread(testApp, person), await countUnread(testApp, trader)]).toEqual([1, 0])
  const { seen } = await readActivity(testApp, person)
  expect(await markRead(testApp, person, seen)).toBe(0)
  await subscribe(testApp, person, trader)
  expect(await countUnread(testApp, person)).toBe(0)
  await open(testApp, quotes, trader, 'NVDA', 100)
  expect(await countUnread(testApp, person)).toBe(1)
  expect(inShort(await readActivity(testApp, person))).toEqual(['opened NVDA', 'opened AAPL'])
})

test('a hundred unread are as many as are counted, and all of them are read at once', async () => {
  const { trader, person } = await follow()
  const crowd = { traderId: trader.userId, username: trader.username }
  for (let nth = 0; nth < 105; nth += 1) await publish(testApp.db, crowd, { symbol: `S${nth}` }, TEST_NOW)
  expect(await countUnread(testApp, person)).toBe(100)
  const { seen } = await readActivity(testApp, person)
  expect(await markRead(testApp, person, seen)).toBe(0)
})

test('nobody marks anything as read for others, for what is not published, or of whom they never followed', async () => {
  const { trader, person } = await follow()
  const stranger = await signIn(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const written = (text: string) => Buffer.from(text).toString('base64url')
  expect(await markRead(testApp, stranger, written(`${trader.userId} 1`))).toBe(0)
  expect(await markRead(testApp, stranger, written(`${newId()} 1`))).toBe(0)
  const { rows } = await testApp.pool.query('select from activity_reads where user_id = $1', [
    stranger.userId,
  ])
  expect(rows).toEqual([])
  expect(await markRead(testApp, person, written(`${trader.userId} 999`))).toBe(0)
  await open(testApp, quotes, trader, 'MSFT', 100)
  expect(await countUnread(testApp, person)).toBe(1)
  for (const seen of ['', 'nonsense', written(`${trader.userId} -1`), written(`${trader.userId} 1\n`)]) {
    const { status, body } = await call(testApp, person, 'POST', '/v1/activity/read', { seen })
    expect({ seen, status, code: body.code }).toEqual({ seen, status: 400, code: 'bad_request' })
  }
})
