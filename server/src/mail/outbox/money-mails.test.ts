import PostalMime from 'postal-mime'
import { afterAll, expect, test } from 'vitest'
import { makeCrowdTrader } from '../../../test/followers.ts'
import type { CountingSink } from '../../../test/mails/counting-sink.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { type MoneyMail, startMoneyMailScenario } from '../../../test/money/money-mail-scenario.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { queueMail } from './queue-mail.ts'

const DAY_MS = 86_400_000
const money = { trader: 'maria', amountCents: 1000, currency: 'usd' }
const declined: MoneyMail = { kind: 'payment_problem', facts: { ...money, problem: 'declined' } }
const ended: MoneyMail = { kind: 'subscription_ended', facts: { trader: 'maria', why: 'unpaid' } }

function parse(sink: CountingSink, place = 0) {
  return PostalMime.parse(Buffer.from(sink.kept[place]?.raw ?? '', 'latin1'))
}

const shared = await startMoneyMailScenario()
afterAll(() => shared[Symbol.asyncDispose]())

const SECTION = 'https://tradepost.example/account#'

test.each<[string, MoneyMail, string, string]>([
  [
    'a declined renewal (G-33)',
    declined,
    'Your payment of $10.00 for @maria did not go through',
    `${SECTION}subscriptions`,
  ],
  [
    'a renewal that the bank wants confirmed (G-33)',
    { kind: 'payment_problem', facts: { ...money, problem: 'action_required' } },
    'Your bank wants you to confirm $10.00 for @maria',
    `${SECTION}subscriptions`,
  ],
  [
    'the end of a subscription',
    ended,
    'Your subscription to @maria has ended',
    'https://tradepost.example/trader/maria',
  ],
  [
    'a returned double payment, to the one who paid',
    { kind: 'double_payment_returned', facts: { ...money, to: 'subscriber' } },
    'You paid twice for @maria: $10.00 is on its way back',
    `${SECTION}subscriptions`,
  ],
  [
    'a returned double payment, to the trader',
    { kind: 'double_payment_returned', facts: { ...money, to: 'trader' } },
    'A subscriber paid you twice: $10.00 was returned',
    `${SECTION}payments`,
  ],
  [
    'a trader who cannot be paid any more (G-56)',
    { kind: 'trader_unavailable', facts: { ...money, currency: 'eur' } },
    'Your subscription to @maria has ended: €10.00 is on its way back',
    `${SECTION}subscriptions`,
  ],
  [
    'the loss of payouts, to the trader (G-56)',
    { kind: 'payouts_lost', facts: { trader: 'maria', after: 'waiting' } },
    'Subscriptions to you have ended: you cannot be paid',
    `${SECTION}payments`,
  ],
])('%s is mailed to the person it concerns, with its link', async (_, mail, subject, link) => {
  const person = await shared.signIn()
  await shared.owe(person, mail)
  await shared.settle()
  const row = await shared.db
    .selectFrom('outbox')
    .selectAll()
    .where('user_id', '=', person.userId)
    .executeTakeFirstOrThrow()
  expect([row.ended_as, row.ended_at]).toEqual(['sent', shared.clock.now()])
  expect(shared.sink.byRecipient.get(person.email)).toBe(1)
  const sent = await parse(shared.sink, shared.sink.total() - 1)
  expect(sent).toMatchObject({
    subject,
    from: { name: 'Tradepost', address: expect.stringMatching(/@tradepost\.example$/) },
    to: [{ address: person.email }],
    messageId: `<${row.id}@tradepost.example>`,
  })
  for (const part of [sent.text, sent.html]) expect(part).toContain(link)
  const headers = Object.fromEntries(sent.headers.map(({ key, value }) => [key, value]))
  expect(headers['auto-submitted']).toBe('auto-generated')
  expect(headers['list-unsubscribe']).toBeUndefined()
})

test('a mail is owed exactly when its cause is written, and not when that is rolled back', async () => {
  await using scenario = await startMoneyMailScenario()
  const { userId } = await scenario.signIn()
  const now = scenario.clock.now()
  await expect(
    withTransaction(scenario.db, async (tx) => {
      await queueMail(tx, { ...ended, userId, cause: 'sub_1' }, now)
      throw new Error('the cause could not be written')
    }),
  ).rejects.toThrow('could not be written')
  expect(await scenario.rows()).toEqual([])
})

test('the same cause mails the same person once, whatever runs twice', async () => {
  await using scenario = await startMoneyMailScenario()
  const [one, other] = [await scenario.signIn(), await scenario.signIn()]
  await Promise.all([1, 2, 3].map(() => scenario.owe(one, declined, 'in_1:1')))
  await scenario.settle()
  await scenario.owe(one, declined, 'in_1:1')
  await scenario.settle()
  expect(scenario.sink.total()).toBe(1)
  await scenario.owe(one, declined, 'in_1:2')
  await scenario.owe(one, ended, 'in_1:1')
  await scenario.owe(other, declined, 'in_1:1')
  await scenario.settle()
  expect([scenario.sink.total(), scenario.sink.repeats()]).toEqual([4, 0])
})

test('the worker sends the mails that are owed', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const { traderId } = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await scenario.startWorker()
  await withTransaction(database.db, (tx) =>
    queueMail(tx, { ...declined, userId: traderId, cause: 'in_1:1' }, clock.now()),
  )
  await sink.until(() => sink.total() === 1)
  expect([...sink.byRecipient.keys()]).toEqual(['maria@traders.example'])
})

test('suspended people and those who have left get no mail; a new address gets the mails of the old', async () => {
  await using scenario = await startMoneyMailScenario()
  const [suspended, gone, moved] = [await scenario.signIn(), await scenario.signIn(), await scenario.signIn()]
  for (const person of [suspended, gone, moved]) await scenario.owe(person, declined)
  const users = scenario.db.updateTable('users')
  await users.set({ suspended_at: scenario.clock.now() }).where('id', '=', suspended.userId).execute()
  await scenario.db.deleteFrom('users').where('id', '=', gone.userId).execute()
  await users.set({ email: 'new@example.com' }).where('id', '=', moved.userId).execute()
  await scenario.settle()
  expect([...scenario.sink.asked.keys()]).toEqual(['new@example.com'])
})

test('of all mails a suspended person gets the one about the suspension, and the one that subscriptions to them have ended', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  const users = scenario.db.updateTable('users').set({ suspended_at: scenario.clock.now() })
  await users.where('id', '=', person.userId).execute()
  await scenario.owe(person, ended, 'sub_1')
  await scenario.owe(person, { kind: 'account_suspended', facts: { reason: 'Copied notes.' } }, 'suspension')
  await scenario.settle()
  expect(scenario.sink.byRecipient.get(person.email)).toBe(1)
  const sent = await parse(scenario.sink)
  expect(sent.subject).toBe('Your Tradepost account is suspended')
  expect(sent.text).toContain('for this reason:\n\nCopied notes.\n')
  expect(sent.text).not.toContain('@:')
  await scenario.owe(
    person,
    { kind: 'payouts_lost', facts: { trader: 'maria', after: 'suspended' } },
    'ended',
  )
  await scenario.settle()
  expect(scenario.sink.byRecipient.get(person.email)).toBe(2)
})

test('after ninety days the content of a mail is forgotten, and not that it was sent', async () => {
  await using scenario = await startMoneyMailScenario()
  const [active, suspended] = [await scenario.signIn(), await scenario.signIn()]
  await scenario.db
    .updateTable('users')
    .set({ suspended_at: scenario.clock.now() })
    .where('id', '=', suspended.userId)
    .execute()
  await scenario.owe(active, ended, 'sub_1')
  await scenario.owe(suspended, ended, 'sub_1')
  await scenario.settle()
  scenario.clock.advance(DAY_MS)
  await scenario.owe(active, ended, 'sub_2')
  scenario.clock.advance(89 * DAY_MS)
  const facts = async () => (await scenario.rows()).map((row) => row.facts)
  await runPurges(scenario)
  expect(await facts()).toEqual([ended.facts, ended.facts, ended.facts])
  scenario.clock.advance(1)
  await runPurges(scenario)
  expect(await facts()).toEqual([{}, {}, ended.facts])
  await runPurges(scenario)
  expect(await facts()).toEqual([{}, {}, ended.facts])
  await scenario.owe(active, ended, 'sub_1')
  await scenario.settle()
  expect(scenario.sink.total()).toBe(2)
})
