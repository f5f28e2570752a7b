import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'

const MINUTE_MS = 60_000
const OPERATOR = 'operator@tradepost.example'

async function openCrowd(followers: number, connections = 4) {
  const scenario = await startDeliveryScenario({ operatorEmail: OPERATOR, connections })
  const { database, clock } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const addresses = await addFollowers(database.pool, trader, followers, clock.now())
  const suppressed = async () => (await database.pool.query('select from suppressions')).rowCount
  return { scenario, trader, followers: addresses, suppressed }
}

const refuse = (who: readonly unknown[], reply: string) => (address: string) =>
  who.includes(address) ? reply : null

test.each<[string, (bad: string[]) => SinkScript]>([
  ['five neighbours refused by policy', (bad) => ({ recipient: refuse(bad, '550 5.7.1 not from outside') })],
  ['five neighbours refused at DATA', (bad) => ({ data: refuse(bad, '554 5.7.1 no') })],
  ['five neighbours at whom it closes', (bad) => ({ recipient: refuse(bad, '421 4.7.0 closing') })],
])('%s do not keep the ten behind them from their mail', async (_what, script) => {
  const { scenario, trader, followers, suppressed } = await openCrowd(15)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = script(followers.slice(0, 5))
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(MINUTE_MS, () =>
    followers.slice(5).every((one) => sink.byRecipient.get(one) === 1),
  )
  expect(await suppressed()).toBe(0)
  sink.script = {}
  await scenario.advanceUntil(15 * MINUTE_MS, () => followers.every((one) => sink.byRecipient.get(one) === 1))
})

test('after a block a first recipient who does not exist keeps no one waiting, and is suppressed a day later', async () => {
  const { scenario, trader, followers, suppressed } = await openCrowd(6)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: refuse(followers, '554 5.7.1 client host blocked') }
  await scenario.startWorker()
  const published = clock.now()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('holds > 0')).toBe(1)
  sink.script = { recipient: refuse([followers[0]], '550 5.1.1 no such user') }
  await scenario.advanceUntil(MINUTE_MS, () =>
    followers.slice(1).every((one) => sink.byRecipient.get(one) === 1),
  )
  expect(await suppressed()).toBe(0)
  await scenario.advanceUntil(60 * MINUTE_MS, async () => (await suppressed()) === 1)
  expect(clock.now().getTime() - published.getTime()).toBeGreaterThanOrEqual(24 * 60 * MINUTE_MS)
})

test('while a server refuses everybody on many connections at once, nothing is held against anybody', async () => {
  const { scenario, trader, followers, suppressed } = await openCrowd(1500, 8)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: (address) => (address === OPERATOR ? null : '550 5.1.1 no such user') }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('lease_owner is null and holds > 0')).toBe(6)
  expect(await suppressed()).toBe(0)
  expect(await scenario.countExceptions("state <> 'retry'")).toBe(0)
  sink.script = {}
  await scenario.advanceUntil(15 * MINUTE_MS, () => followers.every((one) => sink.byRecipient.has(one)))
  expect(sink.repeats()).toBe(0)
  expect(await suppressed()).toBe(0)
})

test('single mails that a server refuses because of us wait, are not counted, and are reported to the operator once', async () => {
  const { scenario, trader, followers } = await openCrowd(10)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: refuse(followers, '451 4.3.0 later') }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions("state = 'retry'")).toBe(10)
  sink.script = { sender: () => '550 5.7.1 sender blocked' }
  await scenario.advance(MINUTE_MS)
  const notices = async () => (await database.pool.query('select kind from operator_notices')).rows
  await expect.poll(notices).toEqual([{ kind: 'mail-server-refuses-us' }])
  expect(await scenario.countExceptions("state = 'retry' and tries = 0 and refusals = 0")).toBe(10)
  sink.script = {}
  await scenario.advanceUntil(15 * MINUTE_MS, () => followers.every((one) => sink.byRecipient.get(one) === 1))
  scenario.complaints.length = 0
})

test('a mail that was taken is sent once although what is held against its recipient cannot be forgotten', async () => {
  const { scenario, trader, followers } = await openCrowd(1)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: refuse(followers, '552 5.2.2 mailbox full') }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions("state = 'retry' and refusals = 1")).toBe(1)
  await database.pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no' using errcode = '57014'; end $$`)
  await database.pool.query(
    'create trigger refuse before delete on mail_refusals for each row execute function refuse()',
  )
  sink.script = {}
  await scenario.advanceUntil(60 * MINUTE_MS, () => sink.total() > 0)
  await expect.poll(() => scenario.countExceptions("state = 'sent' and tries = 2")).toBe(1)
  expect(sink.total()).toBe(1)
})

/** The first follower who is asked for after the block is answered last, and as during the block; others are taken. */
function letBlockEnd(followers: string[], last: Promise<unknown>): SinkScript {
  let first: string | null = null
  return {
    recipient: (address) => {
      if (followers.includes(address)) first ??= address
      return address === first ? { until: last, next: '550 5.1.1 no such user' } : null
    },
  }
}

test('a refusal that is on its way when the server takes mails again is not held against a recipient of a range', async () => {
  const { scenario, trader, followers, suppressed } = await openCrowd(3)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const other = await makeCrowdTrader(database.pool, 'other', clock.now())
  const everybody = [...followers, ...(await addFollowers(database.pool, other, 3, clock.now()))]
  sink.script = { data: refuse(everybody, '554 5.5.1 no') }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await publish(database.db, other, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('lease_owner is null and holds > 0')).toBe(2)
  const last = Promise.withResolvers<void>()
  sink.script = letBlockEnd(everybody, last.promise)
  await scenario.advance(15 * MINUTE_MS)
  const taken = () => everybody.filter((one) => sink.byRecipient.has(one)).length
  await sink.until(() => taken() === 3)
  last.resolve()
  sink.script = {}
  await expect.poll(() => scenario.countExceptions("state = 'retry' and refusals = 0")).toBe(1)
  await scenario.advanceUntil(MINUTE_MS, () => taken() >= 6)
  expect(await suppressed()).toBe(0)
})

test('a refusal that is on its way when the server takes mails again is not held against who is tried again', async () => {
  const { scenario, trader, followers, suppressed } = await openCrowd(20)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const other = await makeCrowdTrader(database.pool, 'other', clock.now())
  const others = await addFollowers(database.pool, other, 3, clock.now())
  sink.script = { recipient: refuse(followers, '550 5.1.1 no such user') }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  // Twenty who are refused are taken back together, to be tried again at one time.
  await expect
    .poll(() => scenario.countExceptions('retry_at = (select max(retry_at) from delivery_exceptions)'))
    .toBe(20)
  const last = Promise.withResolvers<void>()
  sink.script = letBlockEnd(followers, last.promise)
  await scenario.advance(15 * MINUTE_MS)
  await sink.until(() => followers.some((one) => sink.asked.get(one) === 2))
  await publish(database.db, other, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => others.every((one) => sink.byRecipient.has(one)))
  last.resolve()
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => followers.every((one) => sink.byRecipient.has(one)))
  expect(await suppressed()).toBe(0)
})
