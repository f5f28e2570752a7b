import { afterAll, beforeAll, expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { type DeliveryScenario, startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'

/**
 * Refusals of each kind, at each stage, of one follower, of the people of one provider and of all, for half an hour. Nobody is
 * suppressed by it, nobody is mailed twice, people who are not refused wait for nothing, and where more than one is refused nobody
 * waits longer than a quarter of an hour afterwards. `npm run faults -- mail-refusals` plays all of them.
 */
const AT_FULL_SIZE = process.env.MAIL_REFUSALS === 'all'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const OPERATOR = 'operator@tradepost.example'

const REPLIES = [
  '550 5.1.1 no such user',
  '550 5.1.2 no such host',
  '551 5.1.6 moved',
  '556 5.1.10 takes no mail',
  '550 5.2.1 mailbox disabled',
  '552 5.2.2 mailbox full',
  '550 mailbox unavailable',
  '550 5.3.0 the directory is away',
  '554 5.7.1 client host blocked',
  '550 5.4.5 daily sending quota exceeded',
  '550 you have sent too many messages',
  '451 4.3.0 try again later',
] as const
const STAGES = ['greeting', 'MAIL', 'RCPT', 'DATA', 'after the dot'] as const
const SHARES = ['one', 'a provider’s third', 'all'] as const
const AUDIENCES = [3, 13, 300] as const

type Cell = {
  reply: (typeof REPLIES)[number]
  stage: (typeof STAGES)[number]
  share: (typeof SHARES)[number]
  audience: (typeof AUDIENCES)[number]
}

const CELLS: Cell[] = REPLIES.flatMap((reply) =>
  STAGES.flatMap((stage) =>
    SHARES.flatMap((share) => AUDIENCES.map((audience) => ({ reply, stage, share, audience }))),
  ),
)

/** Each reply at RCPT, and each stage with two of them; the others differ in nothing that the code looks at. */
function isAlwaysPlayed({ reply, stage, share, audience }: Cell): boolean {
  if (audience !== 13 || share === 'one') return false
  return stage === 'RCPT' || (share === 'all' && (reply === REPLIES[0] || reply === REPLIES[8]))
}

let scenario: DeliveryScenario
let serial = 0

beforeAll(async () => {
  scenario = await startDeliveryScenario({ operatorEmail: OPERATOR })
})
afterAll(() => scenario[Symbol.asyncDispose]())

async function startWorker(): Promise<AsyncDisposable> {
  const worker = await scenario.startWorker()
  return { [Symbol.asyncDispose]: () => worker.stop() }
}

test.for(CELLS.filter((cell) => AT_FULL_SIZE || isAlwaysPlayed(cell)))(
  '"$reply" at $stage, for $share of $audience followers, suppresses nobody and delays nobody longer than the hold',
  async (cell) => {
    const { database, sink, clock } = scenario
    serial += 1
    const name = `maria${serial}`
    const trader = await makeCrowdTrader(database.pool, name, clock.now())
    const added = await addFollowers(database.pool, trader, cell.audience, clock.now())
    // A whole third has its mailbox at one provider, and each of the others at one of their own.
    const everybody = added.map((one, index) =>
      isMeant(cell, index) ? one : one.replace('@', `@at-${index}.`),
    )
    const meant = everybody.filter((_, index) => isMeant(cell, index))
    const others = everybody.filter((_, index) => !isMeant(cell, index))
    await database.pool.query(
      'update users set email = named.now from unnest($1::text[], $2::text[]) named (before, now) where email = named.before',
      [added, everybody],
    )
    const refused = new Set(meant)
    sink.script = scriptOf(cell, (address) => refused.has(address))
    await using _ = await startWorker()
    await publish(database.db, trader, { symbol: 'AAPL' }, clock.now())
    if (ofOneRecipient(cell)) await sink.until(() => others.every((one) => sink.byRecipient.get(one) === 1))
    const until = clock.now().getTime() + 30 * MINUTE_MS
    await scenario.advanceUntil(2 * MINUTE_MS, () => clock.now().getTime() >= until)
    // A server that asks for another try before anybody is named is asked again within seconds: nothing waits then.
    if (!isAskedAgain(cell)) await scenario.untilAllWait()
    expect(meant.filter((one) => sink.byRecipient.has(one))).toEqual([])

    sink.script = {}
    await scenario.advance(15 * MINUTE_MS)
    // A single refused recipient may be meant, and waits by the code; the mails of all others are due by now.
    if (meant.length < 3)
      await scenario.advanceUntil(HOUR_MS, () => everybody.every((one) => sink.byRecipient.has(one)))
    await scenario.untilNothingIsLeft()
    expect(everybody.map((one) => sink.byRecipient.get(one))).toEqual(everybody.map(() => 1))
    expect((await database.pool.query('select from suppressions')).rowCount).toBe(0)
    // The refusals are forgotten after the mail is recorded.
    await expect.poll(async () => (await database.pool.query('select from mail_refusals')).rowCount).toBe(0)
    if (meant.length >= 3 && cell.reply.startsWith('5'))
      await scenario.advanceUntil(MINUTE_MS, () => sink.byRecipient.has(OPERATOR))
    expect(sink.byRecipient.get(OPERATOR) ?? 0).toBeLessThanOrEqual(1)
    sink.byRecipient.delete(OPERATOR)
    // The next trouble is news again.
    await database.pool.query('delete from operator_notices')
  },
)

function isAskedAgain({ reply, share, stage }: Cell): boolean {
  return (stage === 'greeting' || stage === 'MAIL') && share === 'all' && reply.startsWith('4')
}

function ofOneRecipient({ stage }: Cell): boolean {
  return stage !== 'greeting' && stage !== 'MAIL'
}

/** Before a recipient is named, connections are refused: people on other connections are mailed. */
function isMeant(cell: Cell, index: number): boolean {
  const { share } = cell
  if (share === 'all' || !ofOneRecipient(cell)) return share === 'all'
  return share === 'one' ? index === 1 : index % 3 === 1
}

function scriptOf({ reply, stage, share }: Cell, isMeant: (address: string) => boolean): SinkScript {
  const toPerson = (address: string) => (isMeant(address) ? reply : null)
  // No recipient has been named yet: all connections are refused, every third one, or the first.
  const toConnection = (connection: number) =>
    share === 'all' || (share === 'one' ? connection === 1 : connection % 3 === 1) ? reply : null
  switch (stage) {
    case 'greeting':
      return { greeting: toConnection }
    case 'MAIL':
      return { sender: toConnection }
    case 'RCPT':
      return { recipient: toPerson }
    case 'DATA':
      return { data: toPerson }
    default:
      return { message: ({ recipient }) => toPerson(recipient) }
  }
}
