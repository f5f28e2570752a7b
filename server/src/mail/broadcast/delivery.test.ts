import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { close, makeTrader, moveSubscription, NOTES, open, subscribe } from '../../../test/factories.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../../positions/correct/adjust-positions.ts'

const DAY_MS = 86_400_000

test('each of 1,000 followers gets exactly one mail about an open, and nobody else gets any', {
  tags: ['NOTIF-01'],
}, async () => {
  await using scenario = await startDeliveryScenario({ connections: 10 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const other = await makeCrowdTrader(database.pool, 'other', clock.now())
  const followers = await addFollowers(database.pool, maria, 1000, clock.now())
  await addFollowers(database.pool, other, 50, clock.now())
  const worker = await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await scenario.untilNothingIsLeft()
  await worker.stop()
  expect(sink.byRecipient).toEqual(new Map(followers.map((address) => [address, 1])))
  expect(await scenario.countRanges('done_at is null')).toBe(0)
  expect(await scenario.countExceptions('true')).toBe(0)
  const { rows } = await database.pool.query('select audience_size, planned_at from mail_plans')
  expect(rows).toEqual([{ audience_size: 1000, planned_at: clock.now() }])
})

test('a subscriber is mailed about the open and about the close, with all that belongs to it', {
  tags: ['NOTIF-02', 'NOTIF-05'],
}, async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const trader = await makeTrader(testApp, 'maria')
  const subscriber = await signIn(testApp)
  await subscribe(testApp, subscriber, trader)
  await scenario.startWorker()

  expect((await open(testApp, quotes, trader, 'AAPL', 187.52)).status).toBe(201)
  await sink.until(() => sink.total() === 1)
  testApp.clock.advance(DAY_MS)
  expect((await close(testApp, quotes, trader, 'AAPL', 201.1)).status).toBe(200)
  await sink.until(() => sink.total() === 2)

  const [opened, closed] = await Promise.all(sink.kept.map(({ raw }) => PostalMime.parse(raw)))
  expect(opened).toMatchObject({
    subject: '@maria opened AAPL at $187.52',
    to: [{ address: subscriber.email }],
    text: expect.stringMatching(new RegExp(`AAPL[^]*\\$187\\.52[^]*1-3 weeks[^]*${NOTES}`)),
  })
  expect(closed).toMatchObject({
    subject: '@maria closed AAPL at $201.10 (+7.24%)',
    text: expect.stringMatching(new RegExp(`\\$187\\.52[^]*\\$201\\.10[^]*\\+7\\.24%[^]*${NOTES}`)),
  })
  expect(opened?.text).toContain('Published:    Mar 4, 2026, 15:00:00 UTC (10:00 New York)')
  expect(closed?.text).toContain('Opened:      Mar 4, 2026, 15:00:00 UTC (10:00 New York)')
  expect(closed?.text).toContain('Held:        1 day')
  expect(closed?.text).toContain('Published:   Mar 5, 2026, 15:00:00 UTC (10:00 New York)')
  expect(opened?.messageId).not.toBe(closed?.messageId)
})

test('a split is mailed once to those who follow by then, with both prices, and the corrected profit of what was closed', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const [maria, jose] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'jose')]
  for (const trader of [maria, jose]) {
    await open(testApp, quotes, trader, 'SPLT', 120)
    await subscribe(testApp, await signIn(testApp), trader)
  }
  testApp.clock.advance(DAY_MS)
  await close(testApp, quotes, jose, 'SPLT', 12.6)
  await scenario.startWorker()
  await sink.until(() => sink.total() === 1)

  const split = { symbol: 'SPLT', ratio: '10:1', day: '2026-03-05' }
  for (const changed of [2, 0])
    expect(await adjustForSplit(testApp.db, split, testApp.clock.now())).toBe(changed)
  await sink.until(() => sink.total() === 3)
  await scenario.untilNothingIsLeft()
  expect(sink.total()).toBe(3)
  const mails = await Promise.all(sink.kept.slice(1).map(({ raw }) => PostalMime.parse(raw)))
  const about = (trader: string) => mails.find(({ subject }) => subject?.startsWith(`@${trader}`))
  expect(about('maria')).toMatchObject({
    subject: "@maria's SPLT was split 10 for 1: open price $12.00",
    text: expect.stringMatching(
      /Open price before: +\$120\.00\s+Open price now: +\$12\.00\s+The stock was split\./,
    ),
  })
  expect(about('jose')?.text).toMatch(/Open price now: +\$12\.00\s+Profit, corrected: +\+5\.00%/)
})

test('the trader, strangers, ended and late subscribers get no mail, and one who left after the open still does', {
  tags: ['NOTIF-03'],
}, async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const trader = await makeTrader(testApp)
  const other = await makeTrader(testApp)
  const follow = async (status: 'active' | 'past_due' | 'trialing' | 'unpaid' | 'incomplete') => {
    const person = await signIn(testApp)
    return { ...person, subscription: await subscribe(testApp, person, trader, status) }
  }
  // In front of the others in the mailing order: the range that reaches these passes by all who get none.
  const ended = await follow('active')
  await moveSubscription(testApp, trader, ended.subscription, 'canceled')
  await follow('unpaid')
  const late = await follow('incomplete')
  const entitled = [await follow('active'), await follow('past_due'), await follow('trialing')]
  await subscribe(testApp, await signIn(testApp), other)
  await signIn(testApp)

  await open(testApp, quotes, trader, 'AAPL', 10)
  const [leaving] = entitled
  if (leaving) await moveSubscription(testApp, trader, leaving.subscription, 'canceled')
  await moveSubscription(testApp, trader, late.subscription, 'active')
  await follow('active')
  const worker = await scenario.startWorker()
  await scenario.untilNothingIsLeft()
  await worker.stop()
  expect(sink.byRecipient).toEqual(new Map(entitled.map(({ email }) => [email, 1])))
})

test('the sender mails whom the planner counted, those who came back as well, and no one who came too late', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const trader = await makeTrader(testApp)
  const follow = async (status: 'active' | 'incomplete') => {
    const person = await signIn(testApp)
    return { ...person, subscription: await subscribe(testApp, person, trader, status) }
  }
  const [back, gone, late] = [await follow('active'), await follow('active'), await follow('incomplete')]
  // Behind the others in the mailing order: the range that reaches this one passes by them all.
  const last = await follow('active')
  await open(testApp, quotes, trader, 'AAPL', 10)
  const move = (person: { subscription: string }, status: 'active' | 'unpaid') =>
    moveSubscription(testApp, trader, person.subscription, status)
  await move(back, 'unpaid')
  await move(back, 'active')
  await move(gone, 'unpaid')
  await move(late, 'active')
  const worker = await scenario.startWorker()
  await scenario.untilNothingIsLeft()
  await worker.stop()
  expect(sink.byRecipient).toEqual(new Map([back, gone, last].map(({ email }) => [email, 1])))
  const { rows } = await testApp.pool.query('select audience_size from mail_plans')
  expect(rows).toEqual([{ audience_size: 3 }])
})

test('a person who unsubscribed, is suspended or cannot be reached is left out, and delays nobody', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 6, clock.now())
  const by = (table: string, address?: string) => `${table} (select id from users where email = '${address}')`
  await database.pool.query(
    `update subscriptions set mail_muted_at = started_at where subscriber_id in ${by('', followers[1])}`,
  )
  await database.pool.query(`update users set suspended_at = created_at where id in ${by('', followers[2])}`)
  await database.pool.query(`insert into suppressions (user_id, smtp_code, created_at) select id, 550, created_at from users where id in
    ${by('', followers[5])}`)
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  const worker = await scenario.startWorker()
  await scenario.untilNothingIsLeft()
  await worker.stop()
  expect([...sink.byRecipient.keys()].sort()).toEqual([followers[0], followers[3], followers[4]])
  expect(await scenario.countRanges('done_at is null')).toBe(0)
})

test('with the mail server away positions open and close all the same, and everybody is mailed when it returns', {
  tags: ['NOTIF-07'],
}, async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const trader = await makeTrader(testApp)
  const followers = await followTimes(testApp, trader, 5)
  await sink.down()
  await scenario.startWorker()
  expect((await open(testApp, quotes, trader, 'AAPL', 10)).status).toBe(201)
  await scenario.advance(DAY_MS)
  expect((await close(testApp, quotes, trader, 'AAPL', 11)).status).toBe(200)
  await scenario.advance(60_000)
  await sink.up()
  await scenario.advanceUntil(5000, () => sink.total() >= 2 * followers.length)
  expect(sink.byRecipient).toEqual(new Map(followers.map(({ email }) => [email, 2])))
})

async function followTimes(testApp: TestApp, trader: Awaited<ReturnType<typeof makeTrader>>, count: number) {
  const people = []
  for (let index = 0; index < count; index += 1) {
    const person = await signIn(testApp)
    await subscribe(testApp, person, trader)
    people.push(person)
  }
  return people
}

test('an event whose notification was lost is found by the sweep, since its row of work is the truth', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const [maria, jose] = [
    await makeCrowdTrader(database.pool, 'maria', clock.now()),
    await makeCrowdTrader(database.pool, 'jose', clock.now()),
  ]
  await addFollowers(database.pool, maria, 3, clock.now())
  await addFollowers(database.pool, jose, 1, clock.now())
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await database.pool.query('create table lost as select * from event_work')
  await database.pool.query('delete from event_work')
  await scenario.startWorker()
  await publish(database.db, jose, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 1)
  await database.pool.query('insert into event_work select * from lost')
  await sink.until(() => sink.total() === 4)
  expect(sink.byRecipient.size).toBe(4)
})

test('a retry that becomes due while no connection is open is found by the sweep', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 1, clock.now())
  let isClosed = false
  sink.script = {
    recipient: () => '451 try again later',
    heard: (text) => {
      isClosed ||= text.includes('QUIT')
    },
  }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => isClosed)
  // The sender looks for work once more before it waits, which takes the database a few questions.
  for (let asked = 0; asked < 20; asked += 1)
    expect(await scenario.countExceptions("state = 'retry' and tries = 1")).toBe(1)
  sink.script = {}
  // No notification announces that time has passed.
  clock.advance(60_000)
  await sink.until(() => sink.total() === 1)
})

test('a small event overtakes a large one that is under way', async () => {
  await using scenario = await startDeliveryScenario({ connections: 2 })
  const { database, sink, clock } = scenario
  const large = await makeCrowdTrader(database.pool, 'large', clock.now())
  const small = await makeCrowdTrader(database.pool, 'small', clock.now())
  await addFollowers(database.pool, large, 1500, clock.now())
  await addFollowers(database.pool, small, 3, clock.now())
  const mailed = () => [...sink.byRecipient.keys()].filter((address) => address.endsWith('@small.example'))
  await scenario.startWorker()
  await publish(database.db, large, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() >= 300)
  await publish(database.db, small, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => mailed().length === 3)
  expect(sink.total()).toBeLessThan(1400)
})

test('a large event that a mail server keeps waiting cannot have every connection: a small one is served at once', async () => {
  await using scenario = await startDeliveryScenario({ connections: 2 })
  const { database, sink, clock } = scenario
  const large = await makeCrowdTrader(database.pool, 'large', clock.now())
  const small = await makeCrowdTrader(database.pool, 'small', clock.now())
  await addFollowers(database.pool, large, 2000, clock.now())
  await addFollowers(database.pool, small, 3, clock.now())
  const stuck = Promise.withResolvers<void>()
  const sent = new Map<number, number>()
  // A connection that goes on with the large event, range after range, is kept waiting in the end.
  sink.script = {
    recipient: (address, connection) => {
      if (!address.endsWith('@large.example')) return null
      sent.set(connection, (sent.get(connection) ?? 0) + 1)
      if ((sent.get(connection) ?? 0) <= 750) return null
      stuck.resolve()
      return 'hang'
    },
  }
  await scenario.startWorker()
  await publish(database.db, large, { symbol: 'AAPL' }, clock.now())
  await stuck.promise
  await publish(database.db, small, { symbol: 'MSFT' }, clock.now())
  const mailed = () => [...sink.byRecipient.keys()].filter((address) => address.endsWith('@small.example'))
  await sink.until(() => mailed().length === 3)
  expect(mailed().toSorted()).toEqual(['0@small.example', '1@small.example', '2@small.example'])
})

test('an event that goes on is never seen idle between two ranges: the connection kept for others takes one of it at most', async () => {
  await using scenario = await startDeliveryScenario({ connections: 2 })
  const { database, sink, clock } = scenario
  const large = await makeCrowdTrader(database.pool, 'large', clock.now())
  await addFollowers(database.pool, large, 2500, clock.now())
  const sent = new Map<number, number>()
  sink.script = {
    recipient: (_, connection) => {
      sent.set(connection, (sent.get(connection) ?? 0) + 1)
      return null
    },
  }
  await scenario.startWorker()
  await publish(database.db, large, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 2500)
  // Ranges are of 250 mails, ten here; an even share would be five.
  expect(Math.max(...sent.values())).toBeGreaterThanOrEqual(2250)
})

test('a range that was fetched ahead does not wait behind a mail that the server leaves unanswered', async () => {
  await using scenario = await startDeliveryScenario({ connections: 3 })
  const { database, sink, clock } = scenario
  const large = await makeCrowdTrader(database.pool, 'large', clock.now())
  await addFollowers(database.pool, large, 2000, clock.now())
  const sent = new Map<number, number>()
  let stuck: number | null = null
  // In the second range of a connection, six mails before its end, when the next one has been fetched.
  sink.script = {
    recipient: (_, connection) => {
      sent.set(connection, (sent.get(connection) ?? 0) + 1)
      if (stuck === null && sent.get(connection) === 495) stuck = connection
      return stuck === connection ? 'hang' : null
    },
  }
  await scenario.startWorker()
  await publish(database.db, large, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(1000, () => sink.byRecipient.size >= 1994)
  expect(sink.repeats()).toBe(0)
})

test('a worker that must stop gives the rest back, so that nothing is lost or repeated', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 20_000, clock.now())
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  // So many that a worker cannot have sent them all before it has started whole.
  for (const stopAfter of [200, 500]) {
    const worker = await scenario.startWorker()
    await sink.until(() => sink.total() >= stopAfter)
    await worker.stop()
    expect(await scenario.countRanges('lease_owner is not null')).toBe(0)
    expect(sink.total()).toBeLessThan(20_000)
  }
  await scenario.startWorker()
  await sink.until(() => sink.byMessageId.size === 20_000)
  expect(sink.repeats()).toBe(0)
})
