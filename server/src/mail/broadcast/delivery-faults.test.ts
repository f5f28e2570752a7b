import { pino } from 'pino'
import { expect, test } from 'vitest'
import { endWorkerSessions } from '../../../test/database/end-worker-sessions.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { openWorkSession } from '../../work/work-session.ts'
import { startDelivery } from './delivery.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

test('when the mail server is away for a while in the middle of an event all are mailed, and no one twice', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 600, clock.now())
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  // The fault falls between two mails, so that whatever repeats is ours.
  sink.script = { sender: () => (sink.total() >= 200 ? '421 closing for a while' : null) }
  await scenario.startWorker()
  await sink.until(() => sink.total() >= 200)
  await sink.down()
  for (let minute = 0; minute < 5; minute += 1) await scenario.advance(MINUTE_MS)
  sink.script = {}
  await sink.up()
  await scenario.advanceUntil(MINUTE_MS, () => sink.byMessageId.size >= 600)
  expect(sink.repeats()).toBe(0)
  expect(await scenario.countExceptions('true')).toBe(0)
})

test('1 % whose addresses do not exist are suppressed by a second refusal a day later; the others have their mail at once', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 500, clock.now())
  const gone = followers.filter((_, index) => index % 100 === 7)
  sink.script = { recipient: (address) => (gone.includes(address) ? '550 5.1.1 no such user' : null) }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 495)
  const pauses = [1, 15, 15, 15, 60, 360, 1440].map((minutes) => minutes * MINUTE_MS)
  for (const [nth, pause] of pauses.entries()) {
    await expect.poll(() => scenario.countExceptions(`state = 'retry' and refusals = ${nth + 1}`)).toBe(5)
    await scenario.advance(pause)
  }
  await expect.poll(() => scenario.countExceptions("state = 'refused'")).toBe(5)
  await publish(database.db, maria, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => sink.total() === 990)
  for (const address of followers) {
    expect(sink.byRecipient.get(address) ?? 0).toBe(gone.includes(address) ? 0 : 2)
    expect(sink.asked.get(address)).toBe(gone.includes(address) ? 8 : 2)
  }
  expect(await scenario.countExceptions("state = 'refused' and tries = 8 and smtp_code = 550")).toBe(5)
  const { rows } = await database.pool.query('select smtp_code from suppressions')
  expect(rows).toEqual(gone.map(() => ({ smtp_code: 550 })))
})

test('a mail that is refused, rather than its reader, waits alone; the reader has the next', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 3, clock.now())
  sink.script = { message: ({ recipient }) => (recipient === followers[1] ? '554 looks like spam' : null) }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 2)
  sink.script = {}
  await publish(database.db, maria, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => sink.total() === 5)
  expect(sink.byRecipient.get(followers[1] ?? '')).toBe(1)
  expect(await scenario.countExceptions("state = 'retry' and refusals = 1 and smtp_code = 554")).toBe(1)
})

test('one who is deferred is tried again with growing pauses, and the others do not wait for them', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 20, clock.now())
  const [slow = ''] = followers
  sink.script = { recipient: (address) => (address === slow ? '451 try again later' : null) }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 19)
  expect(sink.asked.get(slow)).toBe(1)
  await scenario.advanceUntil(15_000, () => (sink.asked.get(slow) ?? 0) >= 2)
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => sink.total() >= 20)
  expect(sink.byRecipient.get(slow)).toBe(1)
})

test('one who is deferred again and again is given up after eight tries', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const [slow = ''] = await addFollowers(database.pool, maria, 1, clock.now())
  sink.script = { message: () => '452 the mailbox is full' }
  const worker = await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(HOUR_MS, () => (sink.asked.get(slow) ?? 0) >= 8)
  await worker.stop()
  expect(sink.asked.get(slow)).toBe(8)
  expect(await scenario.countExceptions("state = 'failed' and tries = 8 and smtp_code = 452")).toBe(1)
})

test('a connection that drops after the dot repeats that one mail at most, and loses none', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 50, clock.now())
  let drops = 0
  sink.script = {
    message: () => {
      drops += sink.total() === 20 && drops === 0 ? 1 : 0
      return sink.total() === 20 && drops === 1 ? 'drop' : null
    },
  }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(5000, () => sink.byMessageId.size >= 50)
  expect(drops).toBe(1)
  expect(sink.repeats()).toBe(1)
})

test('a mail that breaks every connection waits as an exception; those behind it have theirs', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 10, clock.now())
  const poison = followers[4]
  sink.script = { message: ({ recipient }) => (recipient === poison ? 'vanish' : null) }
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await scenario.advanceUntil(5000, () => sink.total() >= 9)
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => sink.total() >= 10)
  expect(sink.byRecipient).toEqual(new Map(followers.map((address) => [address, 1])))
})

test('the log names the sweep that fails and why where mails that wait for another try are found no more', async () => {
  await using scenario = await startDeliveryScenario()
  const { clock, database, settings } = scenario
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const given = { ...database, databaseUrl: database.url, clock, log, settings }
  const session = openWorkSession(given)
  const delivery = await startDelivery({ ...given, session })
  await database.pool.query('alter table delivery_exceptions rename to away')
  await expect
    .poll(() => lines.map((line) => JSON.parse(line) as object))
    .toContainEqual(
      expect.objectContaining({
        sweep: 'work that waits',
        reason: expect.stringMatching(/42P01: .*delivery_exceptions/),
        msg: 'a sweep failed',
      }),
    )
  await database.pool.query('alter table away rename to delivery_exceptions')
  await delivery.stop()
  await session.end()
})

test('an address that smuggles a second recipient is never sent to a server', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, 3, clock.now())
  await database.pool.query('update users set email = $1 where email = $2', [
    'a@b.example>\r\nrcpt to:<victim@example.com',
    followers[1],
  ])
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 2)
  expect([...sink.asked.keys()].sort()).toEqual([followers[0], followers[2]])
})

test('a mail server that has gone silent does not keep a worker from stopping', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 3, clock.now())
  sink.script = { message: () => 'hang' }
  const worker = await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.asked.size > 0)
  await worker.stop()
  expect(await scenario.countRanges('lease_owner is null and done_at is null')).toBe(1)
})

test('a worker that loses its database session gets another number, loses no mail and repeats none', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, 600, clock.now())
  await scenario.startWorker()
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() >= 100)
  await endWorkerSessions(database.pool)
  await sink.until(() => sink.byMessageId.size === 600)
  await expect.poll(() => scenario.countRanges('done_at is null')).toBe(0)
  expect(sink.repeats()).toBe(0)
  // Two sessions of one worker, of position mails and of all other work (ADR 0103), and their successors.
  const lastNumber = async () =>
    (await database.pool.query('select last_value from worker_numbers')).rows[0]?.last_value
  await expect.poll(lastNumber).toBe(4)
})
