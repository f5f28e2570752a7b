import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'

type Stage = 'MAIL' | 'RCPT' | 'DATA' | 'dot'

/** A mail server that takes so many mails a session, and then refuses at a stage. */
function limitOf(mails: number, stage: Stage, reply: string): SinkScript {
  const taken = new Map<number, number>()
  const of = (connection: number) => taken.get(connection) ?? 0
  const at = (here: Stage) => (connection: number) =>
    here === stage && of(connection) >= mails ? reply : null
  return {
    sender: at('MAIL'),
    recipient: (_address, connection) => at('RCPT')(connection),
    data: (_recipient, connection) => at('DATA')(connection),
    message: (_mail, connection) => {
      const refused = at('dot')(connection)
      if (!refused) taken.set(connection, of(connection) + 1)
      return refused
    },
  }
}

const STAYS = '452 4.4.5 Maximum number of messages per session exceeded'
const HANGS_UP = '421 4.7.0 Too many messages in this session'
const stages = ['MAIL', 'RCPT', 'DATA', 'dot'] as const
/** `npm run faults -- mail-sessions` plays all of them with 300 followers. */
const AT_FULL_SIZE = process.env.MAIL_SESSIONS === 'all'
const followersOf = AT_FULL_SIZE ? 300 : 40
const limits = AT_FULL_SIZE ? [1, 3, 10, 100] : [1, 3, 10]
const connectionsOf = (limit: number) => (AT_FULL_SIZE ? [1, 10] : [limit === 3 ? 10 : 1])
const cases = stages.flatMap((stage) =>
  [STAYS, HANGS_UP].flatMap((reply) =>
    limits.flatMap((limit) =>
      connectionsOf(limit).map((connections) => [limit, stage, reply, connections] as const),
    ),
  ),
)

test.each(cases)(
  'a server that takes %i mails a session, and refuses at %s with “%s”, mails everybody once, over %i connections at a time',
  async (limit, stage, reply, connections) => {
    const count = followersOf
    await using scenario = await startDeliveryScenario({ connections })
    const { clock, database, sink } = scenario
    const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
    const followers = await addFollowers(database.pool, trader, count, clock.now())
    sink.script = limitOf(limit, stage, reply)
    const worker = await scenario.startWorker()
    await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
    await sink.until(() => sink.total() === count)
    await worker.stop()
    expect(new Map([...sink.byRecipient].toSorted())).toEqual(
      new Map(followers.map((address) => [address, 1] as const).toSorted()),
    )
    expect(await scenario.countExceptions('true')).toBe(0)
    expect(sink.connections()).toBeLessThanOrEqual(Math.ceil(count / limit) + 2)
  },
)

test('where a new session changes nothing, as with greylisting, ever fewer are opened', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { clock, database, sink } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, trader, 100, clock.now())
  const known = new Set([followers[0]])
  sink.script = {
    recipient: (address) => (known.has(address) ? null : '450 4.7.1 greylisted, try again in five minutes'),
  }
  await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await expect.poll(() => scenario.countExceptions('true')).toBe(99)
  expect(sink.connections()).toBe(2)
  for (const address of followers) known.add(address)
  await scenario.advanceUntil(60_000, () => sink.total() >= 100)
  expect(sink.repeats()).toBe(0)
})

test('a mail that the server does not take for now on any session waits, and nobody behind it does', async () => {
  await using scenario = await startDeliveryScenario({ connections: 1 })
  const { clock, database, sink } = scenario
  const trader = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, trader, 30, clock.now())
  const full = new Set(followers.filter((_, nth) => nth % 3 === 1))
  sink.script = { recipient: (address) => (full.has(address) ? '452 4.2.2 mailbox full' : null) }
  const worker = await scenario.startWorker()
  await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
  await sink.until(() => sink.total() === 20)
  await expect.poll(() => scenario.countExceptions('true')).toBe(10)
  await worker.stop()
  // After the first, second and fourth, eighth: patience doubles.
  expect(sink.connections()).toBeLessThanOrEqual(5)
})
