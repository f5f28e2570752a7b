import { isEntitled, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { countWaiting } from '../../../test/database/waiting-for-locks.ts'
import { call, makeTrader, moveSubscription, open, subscribe, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { RACE_TIMEOUT_MS, rounds } from '../../../test/rounds.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { drawEvent } from '../../events/events.queries.ts'
import { registerReader } from '../../events/run-readers.ts'
import { withTransaction } from '../../platform/database/queryable.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
await registerReader(testApp.db, { name: 'mail', from: 'now', followersOnly: true }, TEST_NOW)
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

/** The frozen audience of an event, by the rule that stands above the table. */
async function audience(trader: SignedIn, eventNo: number): Promise<string[]> {
  const { rows } = await testApp.pool.query(
    `select id from subscriptions where trader_id = $1 and ((entitled_from_event < $2
       and (entitled_until_event is null or entitled_until_event >= $2)) or earlier_windows @> $2::bigint)
     order by mail_no`,
    [trader.userId, eventNo],
  )
  return rows.map((row) => row.id)
}

const publish = (trader: SignedIn) =>
  withTransaction(testApp.db, (tx) => drawEvent(tx, trader.userId, TEST_NOW))

test('a subscription is in the audience of events after it, and of none after it ended', async () => {
  const [trader, early, late] = [await makeTrader(testApp), await signIn(testApp), await signIn(testApp)]
  await publish(trader)
  const first = await subscribe(testApp, early, trader)
  await publish(trader)
  const second = await subscribe(testApp, late, trader)
  await moveSubscription(testApp, trader, first, 'canceled')
  await publish(trader)
  expect([await audience(trader, 1), await audience(trader, 2), await audience(trader, 3)]).toEqual([
    [],
    [first],
    [second],
  ])
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that starts %s is in the audiences that it is entitled to',
  async (status) => {
    const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
    const id = await subscribe(testApp, person, trader, status)
    await publish(trader)
    expect(await audience(trader, 1)).toEqual(isEntitled(status) ? [id] : [])
  },
)

test('a person who comes back keeps the mails owed from before and gets none for the time between', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  await publish(trader) // 1: before
  const id = await subscribe(testApp, person, trader)
  const steps: (SubscriptionStatus | 'event')[] = [
    'event', // 2: received
    'past_due',
    'event', // 3: received, past due is entitled
    'unpaid',
    'event', // 4: not
    'active',
    'event', // 5: received
    'unpaid',
    'active', // nothing happened in between
    'event', // 6: received
    'canceled',
    'event', // 7: not
  ]
  for (const step of steps) {
    if (step === 'event') await publish(trader)
    else await moveSubscription(testApp, trader, id, step)
  }
  const received = []
  for (let eventNo = 1; eventNo <= 7; eventNo += 1) received.push((await audience(trader, eventNo)).length)
  expect(received).toEqual([0, 1, 1, 0, 1, 1, 0])
})

test('for any history, people entitled at an event stay in its audience for ever', async () => {
  const step = fc.oneof(
    fc.constant('event' as const),
    fc.constantFrom(...SUBSCRIPTION_STATUSES.filter((status) => status !== 'canceled')),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SUBSCRIPTION_STATUSES.filter((status) => status !== 'canceled')),
      fc.array(step, { maxLength: 14 }),
      async (start, steps) => {
        const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
        const id = await subscribe(testApp, person, trader, start)
        let status: SubscriptionStatus = start
        const expected: boolean[] = []
        for (const next of steps) {
          if (next === 'event') {
            // A reader that acts for followers alone has work exactly then.
            expect(await publish(trader)).toMatchObject({ hasWork: isEntitled(status) })
            expected.push(isEntitled(status))
          } else {
            await moveSubscription(testApp, trader, id, next)
            status = next
          }
          const received = await Promise.all(expected.map((_, at) => audience(trader, at + 1)))
          expect(received.map((ids) => ids.length === 1)).toEqual(expected)
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('two live subscriptions of a pair cannot be, one more after a canceled one can', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const first = await subscribe(testApp, person, trader, 'incomplete')
  await expect(subscribe(testApp, person, trader)).rejects.toMatchObject({ code: '23505' })
  await moveSubscription(testApp, trader, first, 'canceled')
  const second = await subscribe(testApp, person, trader)
  expect(second).not.toBe(first)
})

test('of two subscriptions of a pair written at once, one is kept', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
    const outcomes = await Promise.allSettled([
      subscribe(testApp, person, trader),
      subscribe(testApp, person, trader),
    ])
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected'])
  }
})

test('the database refuses a subscription to oneself', async () => {
  const trader = await makeTrader(testApp)
  await expect(subscribe(testApp, trader, trader)).rejects.toMatchObject({ code: '23514' })
})

test('a canceled subscription stays canceled, and a change reports whether access moved', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, person, trader)
  const moved = []
  for (const status of ['past_due', 'unpaid', 'unpaid', 'active', 'canceled', 'active'] as const) {
    moved.push(await moveSubscription(testApp, trader, id, status))
  }
  expect(moved).toEqual([false, true, false, true, true, false])
  const { rows } = await testApp.pool.query('select status, ended_at from subscriptions where id = $1', [id])
  expect(rows).toEqual([{ status: 'canceled', ended_at: testApp.clock.now() }])
})

test('every subscription has its own unsubscribe token that leads to it', async () => {
  const trader = await makeTrader(testApp)
  const ids = [
    await subscribe(testApp, await signIn(testApp), trader),
    await subscribe(testApp, await signIn(testApp), trader),
  ]
  const { rows } = await testApp.pool.query(
    `select t.subscription_id as id, t.token, s.mail_no from subscriptions s
     join unsubscribe_tokens t on t.token = s.unsubscribe_token and t.trader_id = s.trader_id
     where s.trader_id = $1 order by s.mail_no`,
    [trader.userId],
  )
  expect(rows).toEqual(
    ids.map((id, at) => ({ id, token: expect.stringMatching(/^[\w-]{22}$/), mail_no: at + 1 })),
  )
  expect(rows[0].token).not.toBe(rows[1].token)
})

test('a trader sees how many are entitled to follow', { tags: ['ACC-15'] }, async () => {
  const trader = await makeTrader(testApp)
  const count = async (who: SignedIn) => (await call(testApp, who, 'GET', '/v1/accounts/subscribers')).body
  expect(await count(await signIn(testApp))).toEqual({ subscribers: 0 })
  for (const status of SUBSCRIPTION_STATUSES) await subscribe(testApp, await signIn(testApp), trader, status)
  expect(await count(trader)).toEqual({ subscribers: 3 })
})

test('a person who joins while a position opens is in its audience or sees it listed', async () => {
  testApp.clock.set(TEST_NOW)
  for (let round = 0; round < rounds(); round += 1) {
    const trader: Trader = await makeTrader(testApp)
    const people = await Promise.all(Array.from({ length: 4 }, () => signIn(testApp)))
    const opening = open(testApp, quotes, trader, 'AAPL', 5)
    const ids = await Promise.all(people.map((person) => subscribe(testApp, person, trader)))
    expect((await opening).status).toBe(201)
    const received = await audience(trader, 1)
    const { rows } = await testApp.pool.query(
      'select id from subscriptions where trader_id = $1 and entitled_from_event >= 1',
      [trader.userId],
    )
    expect([...received, ...rows.map((row) => row.id)].toSorted()).toEqual(ids.toSorted())
    for (const person of people) {
      expect((await call(testApp, person, 'GET', '/v1/positions')).body.positions).toMatchObject([
        { stock: 'AAPL' },
      ])
    }
  }
})

test('a person who leaves while an event is being published still gets it, since leaving waits for the event', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, person, trader)
  const publishing = await testApp.pool.connect()
  try {
    await publishing.query('begin')
    await publishing.query('update traders set last_event_no = last_event_no + 1 where trader_id = $1', [
      trader.userId,
    ])
    let left = false
    const leaving = moveSubscription(testApp, trader, id, 'unpaid').then(() => {
      left = true
    })
    while (!left && (await countWaiting(testApp)) === 0);
    expect(left).toBe(false)
    await publishing.query('commit')
    await leaving
  } finally {
    publishing.release()
  }
  expect(await audience(trader, 1)).toEqual([id])
})

test('an event that waits for a trader’s first follower has work for the readers', async () => {
  const [trader, person] = [await makeTrader(testApp), await signIn(testApp)]
  const before = await testApp.pool.connect()
  try {
    await before.query('begin')
    await before.query('select from traders where trader_id = $1 for update', [trader.userId])
    const following = subscribe(testApp, person, trader)
    while ((await countWaiting(testApp)) < 1);
    const drawing = publish(trader)
    while ((await countWaiting(testApp)) < 2);
    await before.query('commit')
    const id = await following
    expect(await drawing).toEqual({ eventNo: 1, hasWork: true })
    expect(await audience(trader, 1)).toEqual([id])
  } finally {
    before.release()
  }
})
