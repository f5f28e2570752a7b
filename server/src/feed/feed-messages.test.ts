import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { countWaiting } from '../../test/database/waiting-for-locks.ts'
import {
  call,
  close,
  completePayouts,
  makeTrader,
  moveSubscription,
  open,
  subscribe,
} from '../../test/factories.ts'
import { nextSignal, openFeed, readUntil, signalsUntil } from '../../test/open-feed.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { askAbout } from '../marks/ask-next.ts'
import { listen } from '../platform/database/listen.ts'
import { notifyOfMarks } from '../platform/database/notify.ts'
import { makeLiveFeed } from './live-feed.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => {
  vi.useRealTimers()
  testApp.clock.set(TEST_NOW)
})

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
/** Of somebody who follows nobody and has published nothing. */
const READY = { type: 'ready', resumed: false, now: TEST_NOW.toISOString(), changedAt: null }
const CHANGED = { type: 'changed', what: 'subscriptions' }

test('a viewer is sent that their own subscriptions and payouts have changed, and nobody else is', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  const feed = await openFeed(testApp, follower)
  const ofTrader = await openFeed(testApp, trader)
  expect([await feed.next(), await ofTrader.next()]).toEqual([READY, READY])
  const id = await subscribe(testApp, follower, trader)
  expect(await feed.next()).toEqual(CHANGED)
  await moveSubscription(testApp, trader, id, 'past_due')
  expect(await feed.next()).toEqual(CHANGED)
  await completePayouts(testApp, trader)
  expect(await ofTrader.next()).toEqual({ type: 'changed', what: 'payouts' })
  feed.close()
  ofTrader.close()
})

test('a change while a feed is being opened is sent after its first message', async () => {
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const person = await signIn(own)
  const feed = makeLiveFeed({ ...own, databaseUrl: own.url, log: silentLog })
  const caller = { ...person, isAal2: false, needsSecondFactor: false, isFresh: true, tokenEndsAt: NEXT_DAY }
  // Keeps what the opening reads waiting until the change has been committed and notified.
  const blocker = await own.pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table position_events in access exclusive mode')
  const opening = feed.open(caller, '')
  await expect.poll(() => countWaiting(own)).toBe(1)
  await using notified = await listenTo(own)
  await completePayouts(own, person)
  await notified.next()
  await blocker.query('commit')
  blocker.release()
  const sent: string[] = []
  const attach = await opening
  attach({ send: (data) => sent.push(data), end: () => undefined, onEnd: () => undefined })
  // The feed has a connection of its own, and may be notified a moment later than this test.
  const messages = () => sent.map((data) => JSON.parse(data))
  await expect.poll(messages).toEqual([READY, { type: 'changed', what: 'payouts' }])
  await feed.close()
})

test('the first message contains when lists changed last: by an event of a trader who is followed, or by a subscription', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  const id = await subscribe(testApp, follower, trader)
  const changedAt = async () => {
    const feed = await openFeed(testApp, follower)
    const message = await feed.next()
    feed.close()
    return message.type === 'ready' ? [message.now, message.changedAt] : []
  }
  const minutes = (after: number) => new Date(TEST_NOW.getTime() + after * 60_000)
  testApp.clock.set(minutes(1))
  expect(await changedAt()).toEqual([minutes(1).toISOString(), TEST_NOW.toISOString()])
  await open(testApp, quotes, trader, 'AAPL', 100)
  testApp.clock.set(minutes(2))
  expect(await changedAt()).toEqual([minutes(2).toISOString(), minutes(1).toISOString()])
  await moveSubscription(testApp, trader, id, 'canceled')
  testApp.clock.set(minutes(3))
  expect(await changedAt()).toEqual([minutes(3).toISOString(), minutes(2).toISOString()])
})

test('a mark that was looked up goes to those who have seen a position in its symbol for a whole round, and to nobody else', async () => {
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  await open(testApp, quotes, other, 'MSFT', 100)
  testApp.clock.advance(60_000)
  const roundBefore = testApp.clock.now()
  // Too young to be shown what this round finds, which would reveal that somebody else holds it.
  await open(testApp, quotes, other, 'AAPL', 100)
  const [ofTrader, ofFollower, ofOther] = [
    await openFeed(testApp, trader),
    await openFeed(testApp, follower),
    await openFeed(testApp, other),
  ]
  for (const feed of [ofTrader, ofFollower, ofOther])
    expect(await feed.next()).toMatchObject({ type: 'ready' })
  const lookUp = (symbol: string, price: string) =>
    askAbout(
      {
        db: testApp.db,
        calls: testApp.calls,
        ask: async () => ({ price, at: TEST_NOW, high: null, low: null }),
        perMinute: 60,
        marketOverride: null,
        priceRights: 'live',
        ending: new AbortController().signal,
        log: silentLog,
      },
      { symbol, closeOf: null, forOpenedBefore: roundBefore },
      testApp.clock,
    )
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) {
    await testApp.pool.query('insert into symbol_marks (symbol) values ($1) on conflict do nothing', [symbol])
    await lookUp(symbol, symbol === 'AAPL' ? '101.5' : '99')
  }
  const seen = { symbol: 'AAPL', price: '101.5', at: TEST_NOW.toISOString(), state: 'current' }
  for (const feed of [ofTrader, ofFollower])
    expect(await nextSignal(feed)).toEqual({ type: 'marks', marks: [seen] })
  expect(await signalsUntil(ofOther, 'mark MSFT')).toEqual(['mark MSFT'])
  for (const feed of [ofTrader, ofFollower, ofOther]) feed.close()
})

test('a mark goes to nobody for a position that is closed', async () => {
  const trader = await makeTrader(testApp)
  for (const symbol of ['AAPL', 'MSFT']) await open(testApp, quotes, trader, symbol, 100)
  testApp.clock.set(NEXT_DAY)
  expect((await close(testApp, quotes, trader, 'AAPL', 101)).status).toBe(200)
  await testApp.pool.query(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at, for_opened_before)
     select symbol, 99, $1, $1, $1 from unnest('{AAPL,MSFT}'::text[]) as held (symbol)
     on conflict (symbol) do update set for_opened_before = excluded.for_opened_before`,
    [testApp.clock.now()],
  )
  const feed = await openFeed(testApp, trader)
  expect(await feed.next()).toMatchObject({ type: 'ready' })
  await notifyOfMarks(testApp.db, 'AAPL,MSFT')
  const { marks } = (await nextSignal(feed)) as { marks: { symbol: string }[] }
  expect(marks.map(({ symbol }) => symbol)).toEqual(['MSFT'])
  feed.close()
})

test('a position on the feed is as the list has it, also where it becomes public later than by the rule', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  await testApp.pool.query('update positions set public_at = $1 where trader_id = $2', [
    new Date('2027-01-15T10:00:00.000Z'),
    trader.userId,
  ])
  const { body } = await call(testApp, trader, 'GET', '/v1/positions')
  const [listed] = body.positions as object[]
  expect(listed).toMatchObject({ stock: 'AAPL', publicAt: '2027-01-15T10:00:00.000Z' })
  const feed = await openFeed(testApp, trader)
  expect(await feed.next()).toMatchObject({ type: 'ready' })
  testApp.clock.set(NEXT_DAY)
  expect((await close(testApp, quotes, trader, 'AAPL', 101)).status).toBe(200)
  expect(await nextSignal(feed)).toMatchObject({ type: 'closed', position: { ...listed, active: false } })
  feed.close()
})

test('marks of one message are in the order of their symbols, whatever was opened first', async () => {
  const trader = await makeTrader(testApp)
  const symbols = ['NVDA', 'AAPL', 'TSLA', 'MSFT']
  for (const symbol of symbols) await open(testApp, quotes, trader, symbol, 100)
  testApp.clock.advance(60_000)
  // A small table is read as it lies, and not along an index that is in order by itself.
  await testApp.pool.query('analyze positions')
  await testApp.pool.query(
    `insert into symbol_marks (symbol, price, quoted_at, answered_at, for_opened_before)
     select symbol, 99, $1, $1, $1 from unnest($2::text[]) as held (symbol)
     on conflict (symbol) do update set for_opened_before = excluded.for_opened_before`,
    [testApp.clock.now(), symbols],
  )
  const feed = await openFeed(testApp, trader)
  expect(await feed.next()).toMatchObject({ type: 'ready' })
  await notifyOfMarks(testApp.db, symbols.join(','))
  const { marks } = (await nextSignal(feed)) as { marks: { symbol: string }[] }
  expect(marks.map(({ symbol }) => symbol)).toEqual(['AAPL', 'MSFT', 'NVDA', 'TSLA'])
  feed.close()
})

test('the version of a feed changes with the messages that the feed would have sent, and with nothing else', async () => {
  const [trader, stranger] = [await makeTrader(testApp), await makeTrader(testApp)]
  const follower = await signIn(testApp)
  const seen = new Set<unknown>()
  const read = async () => {
    const { body, status } = await call(testApp, follower, 'GET', '/v1/feed/version')
    expect(status).toBe(200)
    seen.add(body.version)
    return seen.size
  }
  expect(await read()).toBe(1)
  const id = await subscribe(testApp, follower, trader)
  expect(await read()).toBe(2)
  await open(testApp, quotes, stranger, 'AAPL', 100)
  expect(await read()).toBe(2)
  await open(testApp, quotes, trader, 'AAPL', 100)
  expect(await read()).toBe(3)
  await completePayouts(testApp, follower)
  expect(await read()).toBe(4)
  await moveSubscription(testApp, trader, id, 'canceled')
  expect(await read()).toBe(5)
  await open(testApp, quotes, trader, 'MSFT', 100)
  expect(await read()).toBe(5)
})

test('the version of a feed changes with each fact that decides whether payouts are complete', async () => {
  const person = await signIn(testApp)
  await completePayouts(testApp, person)
  const read = async () => (await call(testApp, person, 'GET', '/v1/feed/version')).body.version
  const versions = [await read()]
  for (const [column, value] of [
    ['transfers_status', 'restricted'],
    ['reason', 'requirements_past_due'],
    ['complete_at', NEXT_DAY],
    ['closed_at', NEXT_DAY],
  ]) {
    await testApp.pool.query(`update payout_accounts set ${column} = $2 where user_id = $1`, [
      person.userId,
      value,
    ])
    versions.push(await read())
  }
  expect(new Set(versions).size).toBe(5)
})

test('what one has read is sent on all feeds of the person', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const feed = await openFeed(testApp, follower)
  const { body } = await call(testApp, follower, 'GET', '/v1/activity')
  expect((await call(testApp, follower, 'POST', '/v1/activity/read', { seen: body.seen })).status).toBe(200)
  expect(await readUntil(feed, 'changed activity')).toContain('changed activity')
  feed.close()
})

/** The notifications about people, received beside the app. */
async function listenTo({ url }: TestApp) {
  const received: string[] = []
  const listening = await listen(url, ['people'], (_channel, payload) => received.push(payload))
  return {
    next: () => expect.poll(() => received).not.toEqual([]),
    [Symbol.asyncDispose]: () => listening.end(),
  }
}
