import { afterAll, beforeEach, expect, test } from 'vitest'
import { readActivity } from '../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, makeTrader, open, subscribe, type Trader } from '../../test/factories.ts'
import { startDeliveryScenario } from '../../test/mails/delivery-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const mailedAfter = async (who: SignedIn) =>
  (await readActivity(testApp, who)).items.map(({ mailedAfterSeconds }) => mailedAfterSeconds)

const mailingOf = async (trader: Trader) => (await readActivity(testApp, trader)).items[0]?.mailing

/** As the senders record a range of which the first and the last mail were taken so many seconds after publishing. */
async function recordRange(
  trader: Trader,
  eventNo: number,
  range: { from: number; to: number; sent: number; first: number; last: number },
): Promise<void> {
  const at = (seconds: number) => new Date(testApp.clock.now().getTime() + seconds * 1000)
  await testApp.pool.query(
    `insert into delivery_ranges (trader_id, event_no, channel, from_mail_no, to_mail_no, progress_mail_no, sent_count,
       first_sent_at, last_sent_at, done_at, created_at)
     values ($1, $2, 'mail', $3, $4, $4, $5, $6, $7, $7, $8)`,
    [trader.userId, eventNo, range.from, range.to, range.sent, at(range.first), at(range.last), at(0)],
  )
}

/** The reader of mails is done with an event. */
async function endPlanning(trader: Trader, eventNo: number): Promise<void> {
  await testApp.pool.query('delete from event_work where trader_id = $1 and event_no = $2', [
    trader.userId,
    eventNo,
  ])
}

test('a real mail shows its reader and its trader when it was taken', async () => {
  await using delivery = await startDeliveryScenario({ app: testApp })
  const trader = await makeTrader(testApp)
  const [follower, muted] = [await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  const silent = await subscribe(testApp, muted, trader)
  await testApp.pool.query('update subscriptions set mail_muted_at = $2 where id = $1', [silent, TEST_NOW])
  await open(testApp, quotes, trader, 'AAPL', 100)
  testApp.clock.advance(4000)
  await delivery.startWorker()
  await delivery.untilNothingIsLeft()
  expect(await mailedAfter(follower)).toEqual([4])
  expect(await mailedAfter(muted)).toEqual([undefined])
  expect(await mailingOf(trader)).toEqual({ sent: 1, done: true, halfSeconds: 4, mostSeconds: 4 })

  // Mails that are switched on again do not make one that never went.
  await testApp.pool.query('update subscriptions set mail_muted_at = null where id = $1', [silent])
  expect(await mailedAfter(muted)).toEqual([undefined])
  await open(testApp, quotes, trader, 'MSFT', 100)
  await delivery.untilNothingIsLeft()
  expect(await mailedAfter(muted)).toEqual([0, undefined])
})

test('a reader’s place in a range gives the approximate time, and an unknown time gives none', async () => {
  const trader = await makeTrader(testApp)
  const people = []
  for (let nth = 0; nth < 8; nth += 1) people.push(await signIn(testApp))
  for (const person of people) await subscribe(testApp, person, trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const [first, last, refused, suppressed, stopped, restored, lifted, late] = people as [
    SignedIn,
    ...SignedIn[],
  ] as SignedIn[] & { length: 8 }
  const id = (person: SignedIn | undefined) => person?.userId ?? ''
  await recordRange(trader, 1, { from: 0, to: 2, sent: 2, first: 2, last: 10 })
  await recordRange(trader, 1, { from: 2, to: 7, sent: 1, first: 3, last: 3 })
  const { pool } = testApp
  await pool.query(
    `insert into delivery_exceptions (trader_id, event_no, channel, mail_no, state, tries, refusals, created_at, updated_at)
     values ($1, 1, 'mail', 3, 'sent', 1, 0, $2, $2)`,
    [trader.userId, TEST_NOW],
  )
  const suppress = 'insert into suppressions (user_id, smtp_code, created_at) values ($1, 550, $2)'
  await pool.query(suppress, [id(suppressed), TEST_NOW])
  await pool.query('update subscriptions set mail_muted_at = $2 where subscriber_id = $1', [
    id(stopped),
    TEST_NOW,
  ])
  await pool.query('update users set suspended_at = $2 where id = $1', [id(restored), TEST_NOW])
  await pool.query('update users set suspended_at = null where id = $1', [id(restored)])
  await pool.query(suppress, [id(lifted), TEST_NOW])
  await pool.query('delete from suppressions where user_id = $1', [id(lifted)])

  const answered = []
  for (const person of [first, last, refused, suppressed, stopped, restored, lifted, late])
    answered.push(...(await mailedAfter(person as SignedIn)))
  expect(answered).toEqual([6, 10, ...Array(6).fill(undefined)])
  // A follower who stopped the mails after theirs was sent was mailed.
  await pool.query('update subscriptions set mail_muted_at = $2 where subscriber_id = $1', [
    id(last),
    new Date(TEST_NOW.getTime() + 60_000),
  ])
  expect(await mailedAfter(last as SignedIn)).toEqual([10])
})

test('a trader sees how many mails went and how fast half of them and 95 % were, once all have gone', {
  tags: ['ACT-07'],
}, async () => {
  const trader = await makeTrader(testApp)
  await subscribe(testApp, await signIn(testApp), trader)
  await open(testApp, quotes, trader, 'AAPL', 100)
  const nothing = { sent: 0, done: false, halfSeconds: null, mostSeconds: null }
  expect(await mailingOf(trader)).toEqual(nothing)
  await endPlanning(trader, 1)
  expect(await mailingOf(trader)).toEqual({ ...nothing, done: true })
  // A hundred mails in the seconds from 1 to 3, and a hundred from 2.05 to 4.
  await recordRange(trader, 1, { from: 0, to: 100, sent: 100, first: 1, last: 3 })
  await recordRange(trader, 1, { from: 100, to: 200, sent: 100, first: 2.05, last: 4 })
  const answered = { sent: 200, done: true, halfSeconds: 2.6, mostSeconds: 3.9 }
  expect(await mailingOf(trader)).toEqual(answered)
  await testApp.pool.query(
    'update delivery_ranges set done_at = null where trader_id = $1 and from_mail_no = 100',
    [trader.userId],
  )
  expect(await mailingOf(trader)).toEqual({ sent: 200, done: false, halfSeconds: null, mostSeconds: null })
})

test('the latest five events of one’s own are listed with their mails, and no one else’s', async () => {
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  for (const [nth, symbol] of ['A', 'B', 'C', 'D', 'E', 'F'].entries()) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + nth * 1000))
    await open(testApp, quotes, trader, symbol, 100)
  }
  await endPlanning(trader, 6)
  await recordRange(trader, 6, { from: 0, to: 412, sent: 412, first: 0, last: 2 })
  const { body } = await call(testApp, trader, 'GET', '/v1/activity/mailings')
  const { events } = body as { events: Record<string, unknown>[] }
  expect(events.map(({ symbol }) => symbol)).toEqual(['F', 'E', 'D', 'C', 'B'])
  expect(events[0]).toEqual({
    id: `${trader.username}.6`,
    kind: 'opened',
    at: '2026-03-04T15:00:05.000Z',
    symbol: 'F',
    mailing: { sent: 412, done: true, halfSeconds: 1, mostSeconds: 2 },
  })
  expect((await call(testApp, other, 'GET', '/v1/activity/mailings')).body).toEqual({ events: [] })
})
