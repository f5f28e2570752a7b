import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'

const MINUTE_MS = 60_000
const OPERATOR = 'operator@tradepost.example'
const GONE = '550 5.1.1 no such user'

/** @param providerOf the domain of the mailbox of a follower, by their place */
async function openCrowd(count: number, providerOf: (index: number) => string, connections = 4) {
  const scenario = await startDeliveryScenario({ operatorEmail: OPERATOR, connections })
  const { database, clock } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const before = await addFollowers(database.pool, trader, count, clock.now())
  const followers = before.map((_, index) => `${index}@${providerOf(index)}`)
  await database.pool.query(
    'update users set email = named.now from unnest($1::text[], $2::text[]) named (before, now) where email = named.before',
    [before, followers],
  )
  return { scenario, trader, followers }
}

async function countSuppressed({ database }: DeliveryScenario): Promise<number> {
  return (await database.pool.query('select from suppressions')).rowCount ?? 0
}

test.for([
  [3, GONE],
  [13, GONE],
  [13, '550 mailbox unavailable'],
  [13, '552 5.2.2 mailbox full'],
  [13, '550 5.4.5 daily sending quota exceeded'],
] as const)(
  'after forty minutes in which all %i followers are answered "%s" each has the mail within a quarter of an hour',
  async ([count, reply]) => {
    const { scenario, trader, followers } = await openCrowd(count, (index) => `provider-${index}.example`)
    await using _ = scenario
    const { database, sink, clock } = scenario
    sink.script = { recipient: (address) => (address === OPERATOR ? null : reply) }
    await scenario.startWorker()
    await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
    const until = clock.now().getTime() + 40 * MINUTE_MS
    await scenario.advanceUntil(MINUTE_MS, () => clock.now().getTime() >= until)
    await scenario.untilAllWait()
    expect(followers.some((one) => sink.byRecipient.has(one))).toBe(false)
    sink.script = {}
    await scenario.advance(15 * MINUTE_MS)
    await sink.until(() => followers.every((one) => sink.byRecipient.get(one) === 1))
    expect(await countSuppressed(scenario)).toBe(0)
    await expect.poll(() => sink.byRecipient.get(OPERATOR)).toBe(1)
  },
)

test('while one provider refuses all its people as unknown the others have their mail at once, and its own within a quarter of an hour', async () => {
  const { scenario, trader, followers } = await openCrowd(39, (index) =>
    index % 3 === 0 ? 'provider.example' : `other-${index}.example`,
  )
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: (address) => (address.endsWith('@provider.example') ? GONE : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => followers.filter((one) => sink.byRecipient.has(one)).length === 26)
  expect(await scenario.countRanges('holds > 0')).toBe(0)
  const until = clock.now().getTime() + 40 * MINUTE_MS
  await scenario.advanceUntil(MINUTE_MS, () => clock.now().getTime() >= until)
  await scenario.untilAllWait()
  sink.script = {}
  await scenario.advance(15 * MINUTE_MS)
  await sink.until(() => followers.every((one) => sink.byRecipient.get(one) === 1))
  expect(await countSuppressed(scenario)).toBe(0)
  await expect.poll(() => sink.byRecipient.get(OPERATOR)).toBe(1)
})

test('a company of three that is no more is excused for a day, and its people are suppressed another day later', async () => {
  const { scenario, trader, followers } = await openCrowd(6, (index) =>
    index < 3 ? 'closed.example' : 'provider.example',
  )
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: (address) => (address.endsWith('@closed.example') ? GONE : null) }
  await scenario.startWorker()
  const published = clock.now().getTime()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => followers.slice(3).every((one) => sink.byRecipient.get(one) === 1))
  await scenario.advanceUntil(30 * MINUTE_MS, async () => (await countSuppressed(scenario)) === 3)
  const hours = (clock.now().getTime() - published) / (60 * MINUTE_MS)
  expect(hours).toBeGreaterThanOrEqual(48)
  expect(await scenario.countExceptions("state = 'refused'")).toBe(3)
})

test('a mail of a day ago is judged by its code, though newer ones to the same company are excused', async () => {
  const { scenario, trader, followers } = await openCrowd(3, () => 'closed.example', 1)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = { recipient: (address) => (followers.includes(address) ? GONE : null) }
  const before = await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions("state = 'retry' and refusals = 0")).toBe(3)
  await before.stop()
  // Not due before the newer ones have been tried.
  await database.pool.query(
    "update delivery_exceptions set retry_at = retry_at + interval '24 hours 10 minutes'",
  )
  clock.advance(23 * 60 * MINUTE_MS)
  await publish(database.db, trader, { symbol: 'MSFT' }, clock.now())
  await scenario.startWorker()
  // The third one takes back what was held against the two before.
  await expect.poll(() => scenario.countExceptions('refusals = 0')).toBe(6)
  await scenario.advance(75 * MINUTE_MS)
  await expect.poll(() => scenario.countExceptions('refusals = 1')).toBe(3)
  expect(await scenario.countExceptions('refusals = 0')).toBe(3)
})

test('refusals by policy that another mail has followed speak of nobody else', async () => {
  const { scenario, trader, followers } = await openCrowd(6, (index) => `provider-${index}.example`)
  await using _ = scenario
  const { database, sink, clock } = scenario
  const blocked = '554 5.7.1 not from you'
  sink.script = { recipient: (address) => (followers.includes(address) ? blocked : null) }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countRanges('holds = 1 and lease_owner is null')).toBe(1)
  sink.script = { recipient: (address) => (followers.indexOf(address) in [0, 1, 2, 3] ? blocked : null) }
  await scenario.advance(MINUTE_MS)
  await sink.until(() => sink.byRecipient.has(followers[4] ?? '') && sink.byRecipient.has(followers[5] ?? ''))
  await expect.poll(() => scenario.countExceptions("state = 'retry' and tries = 1")).toBe(4)
})

test('a follower whose server speaks of our quota waits alone, and nobody behind them does', async () => {
  const { scenario, trader, followers } = await openCrowd(9, (index) => `provider-${index}.example`)
  await using _ = scenario
  const { database, sink, clock } = scenario
  sink.script = {
    recipient: (address) =>
      address === followers[3] ? '550 5.1.1 your daily sending quota is exceeded' : null,
  }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => followers.filter((one) => sink.byRecipient.has(one)).length === 8)
  await expect.poll(() => scenario.countExceptions("state = 'retry' and refusals = 0")).toBe(1)
  expect(await scenario.countRanges('holds > 0')).toBe(0)
  expect((await database.pool.query('select from mail_refusals')).rowCount).toBe(0)
})
