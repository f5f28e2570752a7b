import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const OPERATOR = 'operator@tradepost.example'
const BLOCKED = '554 5.7.1 client host blocked'

async function openCrowd(followers: number, operatorEmail: string | null = OPERATOR) {
  const scenario = await startDeliveryScenario({ operatorEmail })
  const { database, clock } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  return { scenario, trader, followers: await addFollowers(database.pool, trader, followers, clock.now()) }
}

function suppressed({ database }: DeliveryScenario) {
  return database.pool.query('select smtp_code, smtp_status from suppressions').then(({ rows }) => rows)
}

/** The server refuses followers only; the operator's mail is taken. */
const toFollowers = (reply: string) => (address: string) => (address === OPERATOR ? null : reply)

test('a block list at RCPT holds the range, suppresses nobody and mails the operator once; then everybody has every mail', async () => {
  const { scenario, trader, followers } = await openCrowd(20)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: toFollowers(BLOCKED) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.byRecipient.has(OPERATOR))
  await scenario.advanceUntil(5 * MINUTE_MS, () => (sink.asked.get(followers[0] ?? '') ?? 0) >= 6)
  await expect.poll(() => scenario.countRanges('holds >= 6 and lease_owner is null')).toBe(1)
  expect(await suppressed(scenario)).toEqual([])
  expect(await scenario.countExceptions('true')).toBe(0)

  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => sink.byMessageId.size >= 21)
  await publish(database.db, trader, { symbol: 'MSFT' }, clock.now())
  await sink.until(() => sink.byMessageId.size === 41)
  expect(sink.byRecipient).toEqual(
    new Map([[OPERATOR, 1], ...followers.map((address) => [address, 2] as const)]),
  )
  expect(sink.kept[0]?.raw).toContain('554 5.7.1')
  expect(sink.kept[0]?.raw).not.toContain('client host blocked')
})

test.each<[string, SinkScript]>([
  ['greeting', { greeting: () => BLOCKED }],
  ['MAIL', { sender: () => '550 5.1.8 sender address rejected' }],
  ['DATA', { data: () => '554 5.5.1 no' }],
])('a refusal at %s holds the range for all recipients, and it goes on', async (_stage, script) => {
  // The mail to the operator would be refused as well, and tried again by the queue.
  const { scenario, trader, followers } = await openCrowd(5, null)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = script
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('holds > 0 and lease_owner is null')).toBe(1)
  expect(await suppressed(scenario)).toEqual([])
  expect(await scenario.countExceptions('true')).toBe(0)
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () =>
    followers.every((address) => sink.byRecipient.get(address) === 1),
  )
})

test('one whose server refuses us by policy delays nobody, is tried again like one who is deferred, and is never suppressed', async () => {
  const { scenario, trader, followers } = await openCrowd(12)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const choosy = new Set([followers[0], followers[5], followers[6], followers[11]])
  sink.script = { recipient: (address) => (choosy.has(address) ? '550 5.7.1 not from outside' : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.byMessageId.size === 8)
  await expect.poll(() => scenario.countExceptions("state = 'retry' and tries = 1 and refusals = 0")).toBe(4)
  expect(await scenario.countRanges('done_at is null')).toBe(0)
  expect(sink.byRecipient.has(OPERATOR)).toBe(false)
  await scenario.advance(9999)
  expect([...choosy].map((address) => sink.asked.get(address ?? ''))).toEqual([1, 1, 1, 1])
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => sink.byMessageId.size >= 12)
  expect(sink.repeats()).toBe(0)
  expect(await suppressed(scenario)).toEqual([])
})

test('a range of one whose server refuses us waits until others have their mail, and then no longer', async () => {
  const { scenario, trader, followers } = await openCrowd(1)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const [choosy = ''] = followers
  const other = await makeCrowdTrader(database.pool, 'other', clock.now())
  await addFollowers(database.pool, other, 3, clock.now())
  sink.script = { recipient: (address) => (address === choosy ? BLOCKED : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('holds = 1')).toBe(1)
  await scenario.advance(1)
  await publish(database.db, other, { symbol: 'AAPL' }, clock.now())
  await sink.until(
    () => [...sink.byRecipient.keys()].filter((address) => address.endsWith('@other.example')).length === 3,
  )
  await scenario.advance(MINUTE_MS)
  await expect.poll(() => scenario.countExceptions("state = 'retry' and tries = 1")).toBe(1)
  expect(await scenario.countRanges('done_at is null')).toBe(0)
})

test('20 of 50 recipients refused speak of us, whatever the code: what was held against them is taken back', async () => {
  const { scenario, trader, followers } = await openCrowd(45)
  await using _ = scenario
  const { database, sink, clock } = scenario
  let closed = false
  sink.script = {
    recipient: (address) => {
      closed ||= address === followers[10]
      return closed && address !== OPERATOR ? '550 5.1.1 no such user' : null
    },
  }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('holds >= 1')).toBe(1)
  for (const holds of [2, 3]) {
    await scenario.advance(15 * MINUTE_MS)
    await expect.poll(() => scenario.countRanges(`holds >= ${holds}`)).toBe(1)
  }
  expect(await suppressed(scenario)).toEqual([])
  sink.script = {}
  await scenario.advanceUntil(MINUTE_MS, () => sink.byMessageId.size >= 46)
  expect(sink.repeats()).toBe(0)
  expect(sink.byRecipient.size).toBe(46)
  expect(sink.byRecipient.get(OPERATOR)).toBe(1)
  expect(await suppressed(scenario)).toEqual([])
})

test('19 of 50 recipients whose address does not exist are suppressed by a second refusal a day later, and the range goes on', async () => {
  const { scenario, trader, followers } = await openCrowd(50)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const gone = new Set(followers.slice(20, 39))
  sink.script = { recipient: (address) => (gone.has(address) ? '550-5.1.1 no such\r\n550 5.1.1 user' : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.byRecipient.size === 32)
  expect(sink.byRecipient.get(OPERATOR)).toBe(1)
  await scenario.advance(MINUTE_MS)
  for (const [nth, minutes] of [1, 15, 15, 15, 60, 360, 1440].entries()) {
    await expect.poll(() => scenario.countExceptions(`refusals = ${nth + 1}`)).toBe(19)
    expect(await suppressed(scenario)).toEqual([])
    await scenario.advance(minutes * MINUTE_MS)
  }
  await expect.poll(() => suppressed(scenario)).toHaveLength(19)
  expect((await suppressed(scenario))[0]).toEqual({ smtp_code: 550, smtp_status: '5.1.1' })
  expect(await scenario.countExceptions("state = 'refused' and refusals = 8")).toBe(19)
})

test.for([
  [1, '550 5.1.1 no such user'],
  [3, '550 5.1.1 no such user'],
  [13, '550 5.1.1 no such user'],
  [13, '550 5.1.10 no such domain'],
] as const)(
  'a server that refuses all %i followers as unknown for a minute (%s) silences none of them',
  async ([count, reply]) => {
    const { scenario, trader, followers } = await openCrowd(count)
    await using _ = scenario
    const { database, sink, clock } = scenario
    sink.script = { recipient: toFollowers(reply) }
    await scenario.startWorker()
    await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
    await expect.poll(() => scenario.countExceptions(`refusals = ${count >= 3 ? 0 : 1}`)).toBe(count)
    expect(await suppressed(scenario)).toEqual([])
    sink.script = {}
    await publish(database.db, trader, { symbol: 'MSFT' }, clock.now())
    await sink.until(() => followers.every((address) => sink.byRecipient.get(address) === 1))
    await scenario.advance(MINUTE_MS)
    await scenario.untilNothingIsLeft()
    expect(followers.map((address) => sink.byRecipient.get(address))).toEqual(followers.map(() => 2))
    await expect.poll(() => sink.byRecipient.get(OPERATOR)).toBe(count >= 3 ? 1 : undefined)
    // The refusals are forgotten after the mail is recorded.
    await expect.poll(async () => (await database.pool.query('select from mail_refusals')).rowCount).toBe(0)
  },
)

test('a mailbox that refuses is tried again after 1 h, 6 h, 1 day and 3 days, and then given up', async () => {
  const { scenario, trader, followers } = await openCrowd(2)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const [first = '', full = ''] = followers
  sink.script = { recipient: (address) => (address === full ? '550 5.2.1 mailbox disabled' : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions("state = 'retry' and refusals = 1")).toBe(1)
  for (const [pause, asked] of [
    [HOUR_MS, 2],
    [6 * HOUR_MS, 3],
    [DAY_MS, 4],
    [3 * DAY_MS, 5],
  ] as const) {
    await scenario.advance(pause - 1)
    expect(sink.asked.get(full)).toBe(asked - 1)
    await scenario.advance(1)
    await sink.until(() => sink.asked.get(full) === asked)
    await expect.poll(() => scenario.countExceptions(`tries = ${asked} and refusals = ${asked}`)).toBe(1)
  }
  expect(await scenario.countExceptions("state = 'refused' and tries = 5 and smtp_code = 550")).toBe(1)
  expect(await suppressed(scenario)).toEqual([])
  expect(sink.byRecipient).toEqual(new Map([[first, 1]]))
})

test('refusals at three events over 72 hours suppress a recipient; one mail taken restarts the count', async () => {
  const { scenario, trader, followers } = await openCrowd(2)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const [, full = ''] = followers
  const refuse = { recipient: (address: string) => (address === full ? '552 5.2.2 mailbox full' : null) }
  await scenario.startWorker()
  const publishAt = async (symbol: string, script: SinkScript) => {
    sink.script = script
    const before = sink.asked.get(full) ?? 0
    await publish(database.db, trader, { symbol }, clock.now())
    await sink.until(() => (sink.asked.get(full) ?? 0) > before)
    await expect.poll(() => scenario.countRanges('done_at is null')).toBe(0)
  }
  await publishAt('A', refuse)
  await publishAt('B', refuse)
  await expect.poll(() => scenario.countExceptions("state = 'retry'")).toBe(2)
  await publishAt('C', {})
  await expect.poll(async () => (await database.pool.query('select from mail_refusals')).rowCount).toBe(0)
  // Their retries would be taken meanwhile: the count is to be that of new events alone.
  await database.pool.query("update delivery_exceptions set state = 'failed', retry_at = null")
  await publishAt('D', refuse)
  await publishAt('E', refuse)
  await scenario.advance(72 * HOUR_MS - 1)
  await publishAt('F', refuse)
  await expect.poll(() => scenario.countExceptions("state = 'retry' and event_no = 6")).toBe(1)
  // The earlier mails were tried again too: refused a moment later, they would be over 72 hours.
  await expect.poll(() => scenario.countExceptions("state = 'retry' and tries = 2")).toBe(2)
  expect(await suppressed(scenario)).toEqual([])
  await scenario.advance(1)
  await publishAt('G', refuse)
  await expect.poll(() => suppressed(scenario)).toEqual([{ smtp_code: 552, smtp_status: '5.2.2' }])
})

test.each([
  ['refused', '550 5.2.1 mailbox disabled'],
  ['deferred', '451 4.2.0 try again later'],
])('a range whose last recipient is %s is closed at once', async (_what, reply) => {
  const { scenario, trader, followers } = await openCrowd(3)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: (address) => (address === followers[2] ? reply : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions("state = 'retry' and mail_no = 3")).toBe(1)
  expect(
    await scenario.countRanges(
      'done_at is not null and lease_owner is null and progress_mail_no = to_mail_no',
    ),
  ).toBe(1)
})
