import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { CountingSink } from '../../../test/mails/counting-sink.ts'
import { type MoneyMail, startMoneyMailScenario } from '../../../test/money/money-mail-scenario.ts'

const DAY_MS = 86_400_000
const money = { trader: 'maria', amountCents: 1000, currency: 'usd' }
const declined: MoneyMail = { kind: 'payment_problem', facts: { ...money, problem: 'declined' } }
const ended: MoneyMail = { kind: 'subscription_ended', facts: { trader: 'maria', why: 'unpaid' } }

function parse(sink: CountingSink, place = 0) {
  return PostalMime.parse(Buffer.from(sink.kept[place]?.raw ?? '', 'latin1'))
}

function headerNames(sink: CountingSink, place: number): string[] {
  const [head = ''] = (sink.kept[place]?.raw ?? '').split('\r\n\r\n')
  return head.split(/\r\n(?![ \t])/).map((line) => line.split(':')[0] ?? '')
}

test('while the mail server is away, or defers, a mail waits for its next try and is sent once', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  await scenario.owe(person, declined)
  await scenario.sink.down()
  await scenario.run()
  expect(await scenario.failure()).not.toContain(person.email)
  await scenario.sink.up()
  for (const script of [
    { greeting: () => '421 closing' },
    { sender: () => '530 authentication required' },
    { recipient: () => '451 try again later' },
    { message: () => '452 the mailbox is full' },
  ]) {
    scenario.sink.script = script
    await scenario.hurry()
    await scenario.run()
    expect(await scenario.failure()).not.toContain(person.email)
  }
  expect(scenario.sink.total()).toBe(0)
  scenario.sink.script = {}
  await scenario.settle()
  expect(scenario.sink.total()).toBe(1)
  expect(await scenario.suppressions()).toEqual([])
  expect(scenario.lines).toEqual([])
})

test('an answer that is lost after the dot repeats the mail under the same Message-ID', async () => {
  await using scenario = await startMoneyMailScenario()
  await scenario.owe(await scenario.signIn(), declined)
  let drops = 0
  scenario.sink.script = {
    message: () => {
      drops += 1
      return drops <= 2 ? 'drop' : null
    },
  }
  await scenario.settle()
  expect(scenario.sink.total()).toBeGreaterThan(1)
  expect(scenario.sink.byMessageId.size).toBe(1)
  expect(await scenario.rows()).toMatchObject([{ ended_as: 'sent', ended_at: scenario.clock.now() }])
})

test('an address that is refused again a day later is suppressed, and not written to again', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  scenario.sink.script = { recipient: () => '550 5.1.1 no such user' }
  await scenario.owe(person, declined)
  await scenario.run()
  scenario.clock.advance(DAY_MS - 1)
  await scenario.run()
  expect(await scenario.suppressions()).toEqual([])
  scenario.clock.advance(1)
  await scenario.hurry()
  await scenario.run()
  expect(await scenario.suppressions()).toEqual([{ user_id: person.userId, smtp_code: 550 }])
  scenario.sink.script = {}
  await scenario.owe(person, ended)
  await scenario.settle()
  expect(scenario.sink.asked.get(person.email)).toBe(3)
  expect((await scenario.rows()).map((row) => row.ended_as)).toEqual(['refused', 'unneeded'])
  expect(scenario.lines).toHaveLength(1)
  expect(scenario.lines[0]).toContain('"replyCode":550')
  expect(scenario.lines[0]).not.toContain(person.email)
})

test('an address whose server was wrong for a while has its mail, and nothing is held against it', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  scenario.sink.script = { recipient: () => '550 5.1.1 no such user' }
  await scenario.owe(person, declined)
  await scenario.run()
  scenario.sink.script = {}
  await scenario.settle()
  expect(scenario.sink.byRecipient.get(person.email)).toBe(1)
  expect((await scenario.pool.query('select from mail_refusals')).rowCount).toBe(0)
})

test('a block list, a full mailbox or a refused sender suppresses nobody; the mail is sent when it is lifted', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  await scenario.owe(person, declined)
  for (const script of [
    { greeting: () => '554 5.7.1 client host blocked' },
    { sender: () => '550 5.7.1 client host blocked' },
    { recipient: () => '554 5.7.1 client host blocked' },
    { recipient: () => '552 5.2.2 the mailbox is full' },
    { message: () => '550 5.7.26 unauthenticated' },
  ]) {
    scenario.sink.script = script
    await scenario.hurry()
    await scenario.run()
    expect(await scenario.failure()).not.toContain(person.email)
  }
  expect(await scenario.suppressions()).toEqual([])
  scenario.sink.script = {}
  await scenario.settle()
  expect(scenario.sink.total()).toBe(1)
})

test('a mail that is refused, rather than its reader, is given up alone; the next arrives', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  scenario.sink.script = { message: () => '554 looks like spam' }
  await scenario.owe(person, declined)
  await scenario.run()
  scenario.sink.script = {}
  await scenario.owe(person, ended)
  await scenario.settle()
  expect(await scenario.suppressions()).toEqual([])
  expect(scenario.sink.total()).toBe(1)
  expect((await parse(scenario.sink)).subject).toBe('Your subscription to @maria has ended')
  expect(scenario.lines).toEqual([expect.stringContaining('"replyCode":554')])
})

test('an address that smuggles a second recipient is never sent to a server', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn('a@b.example>,<c@d.example')
  await scenario.owe(person, declined)
  await scenario.settle()
  expect(scenario.sink.asked.size).toBe(0)
  expect(await scenario.suppressions()).toEqual([{ user_id: person.userId, smtp_code: 553 }])
})

test('line ends and header words in a name stay where they are', async () => {
  await using scenario = await startMoneyMailScenario()
  const person = await scenario.signIn()
  const names = [
    'maria',
    'x\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>',
    'x\nBcc: victim@example.com',
    'x\rBcc: victim@example.com',
    '=?utf-8?Q?=0D=0ABcc:?= victim@example.com',
    'x\r\n.\r\nMAIL FROM:<x@example.com>',
    'x\u2028Bcc: victim@example.com\u0085Bcc: victim@example.com',
  ]
  for (const trader of names) {
    await scenario.owe(person, { kind: 'trader_unavailable', facts: { ...money, trader } }, trader)
    await scenario.settle()
  }
  expect(scenario.sink.total()).toBe(names.length)
  expect([...scenario.sink.asked.keys()]).toEqual([person.email])
  for (const place of names.keys()) {
    expect(headerNames(scenario.sink, place)).toEqual(headerNames(scenario.sink, 0))
    const mail = await parse(scenario.sink, place)
    expect(mail.to).toMatchObject([{ address: person.email }])
    expect(mail.bcc).toBeUndefined()
    expect(mail.html).not.toContain('<script>')
    expect(mail.subject).not.toMatch(/[\r\n]/)
  }
})
