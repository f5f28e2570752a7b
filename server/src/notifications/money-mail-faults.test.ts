import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { CountingSink } from '../../test/counting-sink.ts'
import { openMoneyMailRoom } from '../../test/money-mail-room.ts'
import type { MoneyMail } from '../subscriptions/money-mails.ts'

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
  await using room = await openMoneyMailRoom()
  const person = await room.signIn()
  await room.owe(person, declined)
  await room.sink.down()
  await room.run()
  expect(await room.failure()).not.toContain(person.email)
  await room.sink.up()
  for (const script of [
    { greeting: () => '421 closing' },
    { sender: () => '530 authentication required' },
    { recipient: () => '451 try again later' },
    { message: () => '452 the mailbox is full' },
  ]) {
    room.sink.script = script
    await room.hurry()
    await room.run()
    expect(await room.failure()).not.toContain(person.email)
  }
  expect(room.sink.total()).toBe(0)
  room.sink.script = {}
  await room.settle()
  expect(room.sink.total()).toBe(1)
  expect(await room.suppressions()).toEqual([])
  expect(room.lines).toEqual([])
})

test('an answer that is lost after the dot repeats the mail under the same Message-ID', async () => {
  await using room = await openMoneyMailRoom()
  await room.owe(await room.signIn(), declined)
  let drops = 0
  room.sink.script = {
    message: () => {
      drops += 1
      return drops <= 2 ? 'drop' : null
    },
  }
  await room.settle()
  expect(room.sink.total()).toBeGreaterThan(1)
  expect(room.sink.byMessageId.size).toBe(1)
  expect((await room.rows())[0]?.sent_at).toEqual(room.clock.now())
})

test('R5: a refused address is suppressed after one try, and not written to again', async () => {
  await using room = await openMoneyMailRoom()
  const person = await room.signIn()
  room.sink.script = { recipient: () => '550 5.1.1 no such user' }
  await room.owe(person, declined)
  await room.runToEnd()
  expect(await room.suppressions()).toEqual([{ user_id: person.userId, smtp_code: 550 }])
  room.sink.script = {}
  await room.owe(person, ended)
  await room.settle()
  expect(room.sink.asked.get(person.email)).toBe(1)
  expect((await room.rows()).map((row) => row.sent_at)).toEqual([null, null])
  expect(room.lines).toHaveLength(1)
  expect(room.lines[0]).toContain('"replyCode":550')
  expect(room.lines[0]).not.toContain(person.email)
})

test('R5: a block list, a full mailbox or a refused sender suppresses nobody; the mail is sent when it is lifted', async () => {
  await using room = await openMoneyMailRoom()
  const person = await room.signIn()
  await room.owe(person, declined)
  for (const script of [
    { greeting: () => '554 5.7.1 client host blocked' },
    { sender: () => '550 5.7.1 client host blocked' },
    { recipient: () => '554 5.7.1 client host blocked' },
    { recipient: () => '552 5.2.2 the mailbox is full' },
    { message: () => '550 5.7.26 unauthenticated' },
  ]) {
    room.sink.script = script
    await room.hurry()
    await room.run()
    expect(await room.failure()).not.toContain(person.email)
  }
  expect(await room.suppressions()).toEqual([])
  room.sink.script = {}
  await room.settle()
  expect(room.sink.total()).toBe(1)
})

test('R5: a mail that is refused, rather than its reader, is given up alone; the next arrives', async () => {
  await using room = await openMoneyMailRoom()
  const person = await room.signIn()
  room.sink.script = { message: () => '554 looks like spam' }
  await room.owe(person, declined)
  await room.runToEnd()
  room.sink.script = {}
  await room.owe(person, ended)
  await room.settle()
  expect(await room.suppressions()).toEqual([])
  expect(room.sink.total()).toBe(1)
  expect((await parse(room.sink)).subject).toBe('Your subscription to @maria has ended')
  expect(room.lines).toEqual([expect.stringContaining('"replyCode":554')])
})

test('S16: an address that smuggles a second recipient is never sent to a server', async () => {
  await using room = await openMoneyMailRoom()
  const person = await room.signIn('a@b.example>,<c@d.example')
  await room.owe(person, declined)
  await room.settle()
  expect(room.sink.asked.size).toBe(0)
  expect(await room.suppressions()).toEqual([{ user_id: person.userId, smtp_code: 553 }])
})

test('S16: line ends and header words in a name stay where they are', async () => {
  await using room = await openMoneyMailRoom()
  const person = await room.signIn()
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
    await room.owe(person, { kind: 'trader_unavailable', facts: { ...money, trader } }, trader)
    await room.settle()
  }
  expect(room.sink.total()).toBe(names.length)
  expect([...room.sink.asked.keys()]).toEqual([person.email])
  for (const place of names.keys()) {
    expect(headerNames(room.sink, place)).toEqual(headerNames(room.sink, 0))
    const mail = await parse(room.sink, place)
    expect(mail.to).toMatchObject([{ address: person.email }])
    expect(mail.bcc).toBeUndefined()
    expect(mail.html).not.toContain('<script>')
    expect(mail.subject).not.toMatch(/[\r\n]/)
  }
})
