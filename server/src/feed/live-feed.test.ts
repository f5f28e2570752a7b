import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { statementsOf } from '../../test/database/query-log.ts'
import {
  close,
  completePayouts,
  makeTrader,
  moveSubscription,
  NOTES,
  open,
  subscribe,
  type Trader,
} from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { askFeed, type Feed, nextSignal, openFeed, readUntil, signalsUntil } from '../../test/open-feed.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { insertSession, type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { publishEvent } from '../events/publish-event.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'
import { insertPosition } from '../positions/record/positions.queries.ts'
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
/** Of somebody who began to follow now, or published now. */
const READY_CHANGED = { ...READY, changedAt: TEST_NOW.toISOString() }

test('a follower and the owner are sent an open, a split and a close when they are published', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  const feeds = [await openFeed(testApp, trader), await openFeed(testApp, follower)]
  expect(await feeds[0]?.next()).toEqual(READY)
  expect(await feeds[1]?.next()).toEqual(READY_CHANGED)

  const opened = await open(testApp, quotes, trader, 'SPLT', 187.52)
  expect(opened.status).toBe(201)
  for (const feed of feeds) {
    expect(await nextSignal(feed)).toEqual({
      type: 'opened',
      at: TEST_NOW.toISOString(),
      position: opened.body.position,
    })
  }
  testApp.clock.set(NEXT_DAY)
  const split = { symbol: 'SPLT', ratio: '2:1', day: '2026-03-05' }
  expect(await adjustForSplit(testApp.db, split, NEXT_DAY)).toBe(1)
  const adjusted = { ...(opened.body.position as object), openPrice: 93.76 }
  for (const feed of feeds) {
    expect(await feed.next()).toEqual({ type: 'adjusted', at: NEXT_DAY.toISOString(), position: adjusted })
  }
  expect((await close(testApp, quotes, trader, 'SPLT', 95)).status).toBe(200)
  for (const feed of feeds) {
    expect(await feed.next()).toEqual({
      type: 'closed',
      at: NEXT_DAY.toISOString(),
      position: { ...adjusted, active: false },
      closePrice: 95,
      percentageGain: 1.32,
    })
    feed.close()
  }
})

test('the answer is a stream of events that nobody on the way keeps', async () => {
  const person = await signIn(testApp)
  const ending = new AbortController()
  const answer = await askFeed(testApp, person, { signal: ending.signal })
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-cache',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  expect(answer.headers.has('content-encoding')).toBe(false)
  ending.abort()
  const { headers, statusCode } = await testApp.app.inject({ method: 'HEAD', url: '/v1/feed' })
  expect([statusCode, headers.allow]).toEqual([405, 'GET'])
})

test('each event reaches those who were entitled at it, whatever came before and after', async () => {
  const trader = await makeTrader(testApp)
  const people = {
    before: await signIn(testApp),
    'past due': await signIn(testApp),
    ending: await signIn(testApp),
    muted: await signIn(testApp),
    stranger: await signIn(testApp),
    beginning: await signIn(testApp),
  }
  const ids: Record<string, string> = {}
  for (const name of ['before', 'past due', 'ending', 'muted'] as const) {
    ids[name] = await subscribe(testApp, people[name], trader)
  }
  await moveSubscription(testApp, trader, ids.before ?? '', 'canceled')
  await moveSubscription(testApp, trader, ids['past due'] ?? '', 'past_due')
  await testApp.pool.query('update subscriptions set mail_muted_at = $2 where id = $1', [ids.muted, TEST_NOW])
  const feeds = new Map<string, Feed>()
  for (const [name, person] of Object.entries(people)) feeds.set(name, await openFeed(testApp, person))
  const ofTrader = await openFeed(testApp, trader)

  await open(testApp, quotes, trader, 'AAPL', 100)
  await moveSubscription(testApp, trader, ids.ending ?? '', 'canceled')
  await subscribe(testApp, people.beginning, trader)
  await open(testApp, quotes, trader, 'MSFT', 100)
  await moveSubscription(testApp, trader, ids['past due'] ?? '', 'active')
  await open(testApp, quotes, trader, 'NVDA', 100)
  await readUntil(ofTrader, 'opened NVDA')
  ofTrader.close()
  const entitled: Record<keyof typeof people, string[]> = {
    before: [],
    'past due': ['opened AAPL', 'opened MSFT', 'opened NVDA'],
    ending: ['opened AAPL'],
    muted: ['opened AAPL', 'opened MSFT', 'opened NVDA'],
    stranger: [],
    beginning: ['opened MSFT', 'opened NVDA'],
  }
  for (const [name, expected] of Object.entries(entitled)) {
    const feed = feeds.get(name) as Feed
    const sent = await readUntil(feed, expected.at(-1) ?? 'ready')
    // The message sent last shows that no other came before it.
    await completePayouts(testApp, people[name as keyof typeof people])
    sent.push(...(await readUntil(feed, 'changed payouts')))
    expect(
      sent.filter((text) => text.startsWith('opened')),
      name,
    ).toEqual(expected)
    if (name === 'ending' || name === 'beginning') expect(sent).toContain('changed subscriptions')
    feed.close()
  }
})

test('a feed that is opened again with the id of the last message is sent what was missed, once and in order', async () => {
  const [maria, jonas, late] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  const follower = await signIn(testApp)
  const id = await subscribe(testApp, follower, maria)
  await subscribe(testApp, follower, jonas)
  const first = await openFeed(testApp, follower)
  await open(testApp, quotes, maria, 'AAPL', 100)
  expect(await signalsUntil(first, 'opened AAPL')).toEqual(['ready', 'opened AAPL'])
  first.close()

  await open(testApp, quotes, maria, 'MSFT', 100)
  await open(testApp, quotes, maria, 'NVDA', 100)
  await moveSubscription(testApp, maria, id, 'canceled')
  await open(testApp, quotes, maria, 'AMZN', 100)
  await subscribe(testApp, follower, late)
  await open(testApp, quotes, late, 'META', 100)
  const again = await openFeed(testApp, follower, first.lastEventId())
  await open(testApp, quotes, jonas, 'TSLA', 100)
  const sent = await readUntil(again, 'opened TSLA')
  expect(sent[0]).toBe('resumed')
  expect(sent.filter((text) => /MSFT|NVDA/.test(text))).toEqual(['opened MSFT', 'opened NVDA'])
  expect(sent.toSorted()).toEqual(['opened META', 'opened MSFT', 'opened NVDA', 'opened TSLA', 'resumed'])
  again.close()

  const third = await openFeed(testApp, follower, again.lastEventId())
  await open(testApp, quotes, jonas, 'GOOG', 100)
  expect(await signalsUntil(third, 'opened GOOG')).toEqual(['resumed', 'opened GOOG'])
  third.close()
})

test('who has missed more than 100 events, or sends an id of somebody else, is notified to ask again', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  const first = await openFeed(testApp, follower)
  expect(await first.next()).toEqual(READY_CHANGED)
  first.close()
  const crowd = { traderId: trader.userId, username: trader.username }
  for (let nth = 0; nth < 101; nth += 1) {
    await publish(testApp.db, crowd, { symbol: `S${nth}` }, TEST_NOW)
  }
  const again = await openFeed(testApp, follower, first.lastEventId())
  await open(testApp, quotes, trader, 'AAPL', 100)
  expect(await signalsUntil(again, 'opened AAPL')).toEqual(['ready', 'opened AAPL'])
  again.close()

  const stranger = await signIn(testApp)
  const stolen = await openFeed(testApp, stranger, first.lastEventId())
  await completePayouts(testApp, stranger)
  expect(await readUntil(stolen, 'changed payouts')).not.toContainEqual(expect.stringContaining('opened'))
  stolen.close()
  for (const nonsense of ['nonsense', '%00', 'A'.repeat(5000)]) {
    const feed = await openFeed(testApp, stranger, nonsense)
    expect(await feed.next()).toEqual(READY)
    feed.close()
  }
})

test('who follows more than 100 traders is notified to ask again after every gap', async () => {
  const follower = await signIn(testApp)
  const traders = []
  for (let nth = 0; nth < 100; nth += 1) {
    const trader = await makeTrader(testApp)
    await subscribe(testApp, follower, trader)
    traders.push(trader)
  }
  const first = await openFeed(testApp, follower)
  expect(await first.next()).toEqual(READY_CHANGED)
  first.close()
  const again = await openFeed(testApp, follower, first.lastEventId())
  await open(testApp, quotes, traders[99] as Trader, 'AAPL', 100)
  expect(await signalsUntil(again, 'opened AAPL')).toEqual(['ready', 'opened AAPL'])
  again.close()
})

test('a session that ends ends its feed, and no other one', async () => {
  const person = await signIn(testApp)
  const other = await signIn(testApp)
  const [feed, ofOther] = [await openFeed(testApp, person), await openFeed(testApp, other)]
  expect([await feed.next(), await ofOther.next()]).toEqual([READY, READY])
  await testApp.pool.query('update sessions set revoked_at = $2 where id = $1', [person.sessionId, TEST_NOW])
  expect(await feed.rest()).toEqual([])
  expect((await askFeed(testApp, person)).status).toBe(401)
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [other.userId, TEST_NOW])
  expect(await ofOther.rest()).toEqual([])
  expect((await askFeed(testApp, other)).status).toBe(403)
})

test('a session that owes a second factor from now on has its feed ended', async () => {
  const person = await signIn(testApp)
  const feed = await openFeed(testApp, person)
  await testApp.pool.query(
    `insert into mfa_factors (id, user_id, factor_type, status, secret_sealed, secret_key_id, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', 'unverified', '', 'none', $2, $2)`,
    [person.userId, TEST_NOW],
  )
  await testApp.pool.query("update mfa_factors set status = 'verified' where user_id = $1", [person.userId])
  expect(await feed.rest()).toEqual([READY])
})

test('a session has one feed: the next one takes the place of the one before', async () => {
  const person = await signIn(testApp)
  const first = await openFeed(testApp, person)
  const second = await openFeed(testApp, person)
  expect(await first.rest()).toEqual([READY])
  await completePayouts(testApp, person)
  expect(await readUntil(second, 'changed payouts')).toEqual(['ready', 'changed payouts'])
  second.close()
})

test('an event is read once for all who receive it, and one that nobody receives is not read', async () => {
  // The regular look for events without a notification would read too.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const trader = await makeTrader(own)
  const nobodys = await makeTrader(own)
  const feeds: Feed[] = []
  for (let nth = 0; nth < 20; nth += 1) {
    const follower = await signIn(own)
    await subscribe(own, follower, trader)
    feeds.push(await openFeed(own, follower))
  }
  for (const feed of feeds) expect(await feed.next()).toEqual(READY_CHANGED)
  const texts = await statementsOf(own, async () => {
    for (const { userId, username } of [nobodys, trader]) {
      await publish(own.db, { traderId: userId, username }, { symbol: 'MSFT' }, TEST_NOW)
    }
    for (const feed of feeds) expect(await signalsUntil(feed, 'opened MSFT')).toEqual(['opened MSFT'])
  })
  expect(texts.filter((text) => text.includes('from position_events'))).toHaveLength(1)
  for (const feed of feeds) feed.close()
})

test('without a connection that listens feeds end, and go on where they were once they are opened again', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  const first = await openFeed(testApp, follower)
  expect(await first.next()).toEqual(READY_CHANGED)
  const { rowCount } = await testApp.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query in ('select', 'listen marks')",
  )
  expect(rowCount).toBe(1)
  // That its own subscription has begun may have been on the way still.
  expect((await first.rest()).filter(({ type }) => type !== 'changed')).toEqual([])
  await open(testApp, quotes, trader, 'AAPL', 100)
  const again = await openFeed(testApp, follower, first.lastEventId())
  expect(await signalsUntil(again, 'opened AAPL')).toEqual(['resumed', 'opened AAPL'])
  again.close()
})

test('without a database nobody gets a feed, and nobody is signed out', async () => {
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const person = await signIn(own)
  const feed = makeLiveFeed({ ...own, databaseUrl: 'postgres://nobody@127.0.0.1:9/none', log: silentLog })
  const caller = { ...person, isAal2: false, needsSecondFactor: false, isFresh: true, tokenEndsAt: NEXT_DAY }
  await expect(feed.open(caller, '')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  await feed.close()
})

/** As by a process that dies before it notifies. */
async function publishInSilence(app: TestApp, { userId }: SignedIn, symbol: string): Promise<void> {
  await withTransaction(app.db, async (tx) => {
    const position = { traderId: userId, id: newId(), symbol, openPrice: '187.52' }
    const terms = { holdLength: 'one_to_three_weeks' as const, openNotes: NOTES, openPreviewId: newId() }
    await insertPosition(tx, { ...position, ...terms, openedAt: TEST_NOW })
    await publishEvent(
      tx,
      { traderId: userId, positionId: position.id, kind: 'opened', requestId: null },
      TEST_NOW,
    )
  })
}

test('an event without a notification is sent five seconds later at most', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const trader = await makeTrader(own)
  const feed = await openFeed(own, trader)
  expect(await feed.next()).toEqual(READY)
  await publishInSilence(own, trader, 'AAPL')
  vi.advanceTimersByTime(5000)
  expect(await signalsUntil(feed, 'opened AAPL')).toEqual(['opened AAPL'])
  // A sweep includes people who came since the last one.
  vi.advanceTimersByTime(5000)
  const another = await makeTrader(own)
  const late = await openFeed(own, another)
  expect(await late.next()).toEqual(READY)
  await publishInSilence(own, another, 'MSFT')
  vi.advanceTimersByTime(5000)
  expect(await signalsUntil(late, 'opened MSFT')).toEqual(['opened MSFT'])
  feed.close()
  late.close()
})

test('what was sent is not read again every five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const trader = await makeTrader(own)
  const feed = await openFeed(own, trader)
  expect(await feed.next()).toEqual(READY)
  vi.advanceTimersByTime(5000)
  await open(own, quotes, trader, 'AAPL', 100)
  expect(await signalsUntil(feed, 'opened AAPL')).toEqual(['opened AAPL'])
  /** Until the looks that a time has begun have been answered. */
  const untilIdle = async () => {
    await nextTurn()
    await expect.poll(() => own.product.pool.idleCount).toBe(own.product.pool.totalCount)
  }
  await untilIdle()
  const texts = await statementsOf(own, async () => {
    vi.advanceTimersByTime(10_000)
    await untilIdle()
  })
  expect(texts.filter((text) => text.includes('known (trader_id, event_no)'))).toHaveLength(2)
  expect(texts.filter((text) => text.includes('from position_events'))).toEqual([])
  await publishInSilence(own, trader, 'MSFT')
  vi.advanceTimersByTime(5000)
  expect(await signalsUntil(feed, 'opened MSFT')).toEqual(['opened MSFT'])
  feed.close()
})

test('a feed sends something every 30 seconds, and ends with the token that opened it', async () => {
  const person = await signIn(testApp)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const answer = await askFeed(testApp, person)
  const texts = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => (await texts?.read())?.value ?? null
  expect(await read()).toContain(JSON.stringify(READY))
  for (let times = 0; times < 3; times += 1) {
    vi.advanceTimersByTime(30_000)
    expect(await read()).toBe(`: ${TEST_NOW.toISOString()}\n\n`)
  }
  let ended = false
  const ending = (async () => {
    while ((await read()) !== null);
    ended = true
  })()
  for (let seconds = 90; !ended; seconds += 1) {
    expect(seconds).toBeLessThanOrEqual(3600)
    vi.advanceTimersByTime(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ending
})

test('a person has 20 feeds at once at most, and a process that stops ends them all', async () => {
  const own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const person = await signIn(own)
  const devices = await Promise.all(Array.from({ length: 20 }, () => anotherSession(own, person)))
  const feeds: Feed[] = []
  for (const device of devices) feeds.push(await openFeed(own, device))
  const refused = await askFeed(own, person)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  feeds[0]?.close()
  await expect.poll(async () => (await askFeed(own, person)).status).toBe(200)
  await own.close()
  for (const feed of feeds.slice(1)) expect(await feed.rest()).toEqual([READY])
})

async function anotherSession(app: TestApp, person: SignedIn): Promise<SignedIn> {
  const sessionId = newId()
  const stamps = { created_at: TEST_NOW, refreshed_at: TEST_NOW }
  await insertSession(app.db, {
    id: sessionId,
    user_id: person.userId,
    aal: 'aal1',
    amr: '[]',
    successor_seen: true,
    ...stamps,
  })
  return { ...person, sessionId }
}
