import type { FeedMessage } from '@tradepost/contract/feed'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database.ts'
import {
  call,
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
import { askFeed, type Feed, openFeed } from '../../test/open-feed.ts'
import { statementsOf } from '../../test/query-log.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in.ts'
import { countWaiting } from '../../test/waiting-for-locks.ts'
import { insertSession } from '../auth/sessions.queries.ts'
import { publishEvent } from '../events/publish-event.ts'
import { askAbout } from '../marks/ask-next.ts'
import { withTransaction } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { listen } from '../platform/listen.ts'
import { insertPosition } from '../positions/positions.queries.ts'
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
const CHANGED = { type: 'changed', what: 'subscriptions' }

/** What a feed has said, in short, once it has said `last`. */
async function readUntil(feed: Feed, last: string): Promise<string[]> {
  const said: string[] = []
  do {
    const message = await feed.next()
    if (message.type === 'ready') said.push(message.resumed ? 'resumed' : 'ready')
    else if (message.type === 'changed') said.push(`changed ${message.what}`)
    else if (message.type === 'marks') said.push(...message.marks.map(({ symbol }) => `mark ${symbol}`))
    else said.push(`${message.type} ${message.position.stock}`)
  } while (said.at(-1) !== last)
  return said
}

/** The same without what changed of the viewer's own: the notification of a subscription may come after the feed was opened. */
async function signalsUntil(feed: Feed, last: string): Promise<string[]> {
  const said = await readUntil(feed, last)
  return said.filter((text) => !text.startsWith('changed'))
}

async function nextSignal(feed: Feed): Promise<FeedMessage> {
  const message = await feed.next()
  return message.type === 'changed' ? nextSignal(feed) : message
}

test('a follower and the owner are sent an open, a split and a close when they are published', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  const feeds = [await openFeed(testApp, trader), await openFeed(testApp, follower)]
  expect(await feeds[0]?.next()).toEqual(READY)
  expect(await feeds[1]?.next()).toEqual(READY_CHANGED)

  const opened = await open(testApp, quotes, trader, 'AAPL', 187.52)
  expect(opened.status).toBe(201)
  for (const feed of feeds) {
    expect(await nextSignal(feed)).toEqual({
      type: 'opened',
      at: TEST_NOW.toISOString(),
      position: opened.body.position,
    })
  }
  testApp.clock.set(NEXT_DAY)
  expect((await close(testApp, quotes, trader, 'AAPL', 190)).status).toBe(200)
  for (const feed of feeds) {
    expect(await feed.next()).toEqual({
      type: 'closed',
      at: NEXT_DAY.toISOString(),
      position: { ...(opened.body.position as object), active: false },
      closePrice: 190,
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
    const said = await readUntil(feed, expected.at(-1) ?? 'ready')
    // What is sent last shows that nothing else came before it.
    await completePayouts(testApp, people[name as keyof typeof people])
    said.push(...(await readUntil(feed, 'changed payouts')))
    expect(
      said.filter((text) => text.startsWith('opened')),
      name,
    ).toEqual(expected)
    if (name === 'ending' || name === 'beginning') expect(said).toContain('changed subscriptions')
    feed.close()
  }
})

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
  const said = await readUntil(again, 'opened TSLA')
  expect(said[0]).toBe('resumed')
  expect(said.filter((text) => /MSFT|NVDA/.test(text))).toEqual(['opened MSFT', 'opened NVDA'])
  expect(said.toSorted()).toEqual(['opened META', 'opened MSFT', 'opened NVDA', 'opened TSLA', 'resumed'])
  again.close()

  const third = await openFeed(testApp, follower, again.lastEventId())
  await open(testApp, quotes, jonas, 'GOOG', 100)
  expect(await signalsUntil(third, 'opened GOOG')).toEqual(['resumed', 'opened GOOG'])
  third.close()
})

test('who has missed more than 100 events, or sends an id of somebody else, is told to ask anew', async () => {
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

test('who follows more than 100 traders is told to ask anew after every gap', async () => {
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

test('what changes while a feed is being opened is said after its first message', async () => {
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const person = await signIn(own)
  const feed = makeLiveFeed({ ...own, databaseUrl: own.url, log: silentLog })
  const caller = { ...person, isAal2: false, needsSecondFactor: false, isFresh: true, tokenEndsAt: NEXT_DAY }
  // Keeps what the opening reads waiting until the change has been committed and notified.
  const blocker = await own.pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table position_events in access exclusive mode')
  const opening = feed.open(caller, '')
  await vi.waitFor(async () => expect(await countWaiting(own)).toBe(1))
  await using notified = await listenTo(own)
  await completePayouts(own, person)
  await notified.next()
  await blocker.query('commit')
  blocker.release()
  const said: string[] = []
  const attach = await opening
  attach({ send: (data) => said.push(data), end: () => undefined, onEnd: () => undefined })
  expect(said.map((data) => JSON.parse(data))).toEqual([READY, { type: 'changed', what: 'payouts' }])
  await feed.close()
})

test('the first message says when lists changed last: by an event of a trader who is followed, or by a subscription', async () => {
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

test('a mark that was looked up goes to those who see a position in its symbol, and to nobody else', async () => {
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  await open(testApp, quotes, other, 'MSFT', 100)
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
        ask: async () => ({ price, at: TEST_NOW }),
        perMinute: 60,
        ending: new AbortController().signal,
        log: silentLog,
      },
      { symbol, closeOf: null },
      testApp.clock,
    )
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) {
    await testApp.pool.query('insert into symbol_marks (symbol) values ($1)', [symbol])
    await lookUp(symbol, symbol === 'AAPL' ? '101.5' : '99')
  }
  const seen = { symbol: 'AAPL', price: '101.5', at: TEST_NOW.toISOString(), state: 'current' }
  for (const feed of [ofTrader, ofFollower])
    expect(await nextSignal(feed)).toEqual({ type: 'marks', marks: [seen] })
  expect(await signalsUntil(ofOther, 'mark MSFT')).toEqual(['mark MSFT'])
  for (const feed of [ofTrader, ofFollower, ofOther]) feed.close()
})

test('the version of a feed changes with what the feed would have said, and with nothing else', async () => {
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

test('an event is read once for all who hear of it, and one that nobody hears is not read', async () => {
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
  expect(await first.rest()).toEqual([])
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

test('an event without a notification is sent five seconds later at most', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using own = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const trader = await makeTrader(own)
  const feed = await openFeed(own, trader)
  expect(await feed.next()).toEqual(READY)
  await withTransaction(own.db, async (tx) => {
    const position = { traderId: trader.userId, id: newId(), symbol: 'AAPL', openPrice: '187.52' }
    const terms = { holdLength: 'one_to_three_weeks' as const, openNotes: NOTES, openPreviewId: newId() }
    await insertPosition(tx, { ...position, ...terms, openedAt: TEST_NOW })
    await publishEvent(tx, { traderId: trader.userId, positionId: position.id, kind: 'opened' }, TEST_NOW)
  })
  vi.advanceTimersByTime(5000)
  expect(await signalsUntil(feed, 'opened AAPL')).toEqual(['opened AAPL'])
  feed.close()
})

test('a feed says something every 30 seconds, and ends with the token that opened it', async () => {
  const person = await signIn(testApp)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const answer = await askFeed(testApp, person)
  const texts = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => (await texts?.read())?.value ?? null
  expect(await read()).toContain(JSON.stringify(READY))
  for (let times = 0; times < 3; times += 1) {
    vi.advanceTimersByTime(30_000)
    expect(await read()).toBe(':\n\n')
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
  await vi.waitFor(async () => expect((await askFeed(own, person)).status).toBe(200))
  await own.close()
  for (const feed of feeds.slice(1)) expect(await feed.rest()).toEqual([READY])
})

test('what one has read is said on all feeds of the person', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const feed = await openFeed(testApp, follower)
  const { body } = await call(testApp, follower, 'GET', '/v1/activity')
  expect((await call(testApp, follower, 'POST', '/v1/activity/read', { seen: body.seen })).status).toBe(200)
  expect(await readUntil(feed, 'changed activity')).toContain('changed activity')
  feed.close()
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

/** The notifications about people, heard beside the app. */
async function listenTo({ url }: TestApp) {
  const heard: string[] = []
  const listening = await listen(url, ['people'], (_channel, payload) => heard.push(payload))
  return {
    next: () => vi.waitFor(() => expect(heard).not.toEqual([])),
    [Symbol.asyncDispose]: () => listening.end(),
  }
}
