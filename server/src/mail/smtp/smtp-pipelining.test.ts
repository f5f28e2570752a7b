import { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type CountingSink, startCountingSink } from '../../../test/mails/counting-sink.ts'
import { messageOf } from '../../../test/mails/message-of.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'
import { connectSmtp, type SmtpConnection } from './smtp-connection.ts'
import { SmtpLost } from './smtp-outcome.ts'

const FROM = 'signals@tradepost.example'

afterEach(() => {
  vi.useRealTimers()
})

/** A sink with these manners, a connection to it, and whether the server's PIPELINING is still trusted. */
async function open(script: SinkScript, given = true) {
  const sink = await startCountingSink()
  sink.script = script
  const trust = {
    given,
    withdraw() {
      this.given = false
    },
  }
  const connect = () => connectSmtp(sink.url, { up: new AbortController().signal, trust })
  return {
    sink,
    trust,
    connect,
    connection: await connect(),
    async [Symbol.asyncDispose]() {
      vi.useRealTimers()
      await sink.close()
    },
  }
}

const mailTo = (to: string) => ({
  from: FROM,
  to,
  message: messageOf(`To: <${to}>\r\nMessage-ID: <${to}>\r\n\r\nA signal.\r\n`),
})

const nextOf = (to: string | undefined) => (to === undefined ? null : mailTo(to))

/** Mails them all as a range is mailed. @returns in a word the server's answer to each */
async function sendAll(connection: SmtpConnection, people: string[]): Promise<string[]> {
  const outcomes: string[] = []
  for (const [index, to] of people.entries()) {
    const outcome = await connection.send(mailTo(to), nextOf(people[index + 1]))
    outcomes.push('replyCode' in outcome ? `${outcome.kind} ${outcome.replyCode}` : outcome.kind)
  }
  return outcomes
}

function people(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `p${index}@people.example`)
}

function taken(sink: CountingSink): string[] {
  return [...sink.byRecipient.keys()]
}

test('with PIPELINING the envelope of the next mail travels behind the message, in one write', async () => {
  const received: string[] = []
  await using scene = await open({ heard: (text) => received.push(text) })
  await sendAll(scene.connection, ['ann@people.example', 'bob@people.example'])
  const envelope = (to: string) => `MAIL FROM:<${FROM}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`
  const message = (to: string) => `To: <${to}>\r\nMessage-ID: <${to}>\r\n\r\nA signal.\r\n.\r\n`
  expect(received.slice(1)).toEqual([
    envelope('ann@people.example'),
    message('ann@people.example') + envelope('bob@people.example'),
    message('bob@people.example'),
  ])
})

test('a letter beyond ASCII in an address is sent whole, never as the control character that its last byte is', async () => {
  const received: string[] = []
  await using scene = await open({ heard: (text) => received.push(text) })
  // U+010A and U+013E end in the bytes of a line feed and of a closing bracket.
  await sendAll(scene.connection, ['ann@people.example', '\u010aRSET\u013e@people.example'])
  expect(received.join('').split('\n')).toHaveLength(1 + 3 + 5 + 3 + 5 + 1)
  expect(received.join('')).toContain(
    `RCPT TO:<${Buffer.from('\u010aRSET\u013e').toString('latin1')}@people.example>\r\n`,
  )
})

test('a server that does not offer PIPELINING is spoken to one command at a time', async () => {
  const received: string[] = []
  await using scene = await open({ heard: (text) => received.push(text), offers: ['8BITMIME'] })
  expect(await sendAll(scene.connection, people(2))).toEqual(['accepted', 'accepted'])
  expect(received.slice(1).every((text) => text.split('\r\n').length === 2 || text.startsWith('To:'))).toBe(
    true,
  )
})

test('a server that knows HELO only is spoken to one command at a time', async () => {
  await using scene = await open({ ehlo: '502 5.5.1 unknown' })
  expect(await sendAll(scene.connection, people(3))).toEqual(['accepted', 'accepted', 'accepted'])
})

const every = (nth: number, rest: number, reply: string) => (who: string) =>
  Number(/\d+/.exec(who)?.[0]) % nth === rest ? reply : null

const refusing: SinkScript = {
  recipient: every(5, 1, '550 5.1.1 no such user'),
  data: every(5, 2, '451 4.3.0 later'),
  message: ({ recipient }) => every(5, 3, '552 5.2.2 full')(recipient),
}
const inOrder = ['accepted', 'refused 550', 'deferred 451', 'refused 552', 'accepted']

test.each<[string, SinkScript]>([
  ['one command at a time', { offers: [] }],
  ['in groups', {}],
  ['in groups, answered byte by byte', { inBytes: true }],
  ['in groups, by a server that asks for the message of nobody', { asksForNothing: true }],
])('each refusal belongs to its mail and to no other: %s', async (_what, manners) => {
  await using scene = await open({ ...refusing, ...manners })
  const everybody = people(40)
  const expected = everybody.map((_, index) => inOrder[index % 5])
  expect(await sendAll(scene.connection, everybody)).toEqual(expected)
  expect(taken(scene.sink)).toEqual(everybody.filter((_, index) => [0, 4].includes(index % 5)))
  expect(scene.sink.repeats()).toBe(0)
})

test('a server that closes in the middle of a group has taken the mail before, and nobody is to blame', async () => {
  let senders = 0
  const script: SinkScript = {
    sender: () => {
      senders += 1
      return senders === 3 ? '421 4.3.2 enough' : null
    },
  }
  await using scene = await open(script)
  const [ann, bob, cid] = people(3)
  if (!ann || !bob || !cid) throw new Error('too few')
  await scene.connection.send(mailTo(ann), mailTo(bob))
  expect(await scene.connection.send(mailTo(bob), mailTo(cid))).toEqual({ kind: 'accepted' })
  expect(scene.connection.open).toBe(false)
  expect(taken(scene.sink)).toEqual([ann, bob])
  expect(scene.trust.given).toBe(true)
})

test('a server that closes at the first command of a connection is lost, and nobody is to blame', async () => {
  await using scene = await open({ sender: () => '421 4.3.2 enough' })
  const lost = await scene.connection.send(mailTo('ann@people.example'), null).catch((error) => error)
  expect(lost).toBeInstanceOf(SmtpLost)
  expect(lost.unexplained).toBe(false)
  expect(scene.trust.given).toBe(true)
})

test('a server that loses the rest of a group is given ten seconds, and then one command at a time', async () => {
  await using scene = await open({ losesTheRest: true })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let over = false
  const tried = scene.connection
    .send(mailTo('ann@people.example'), mailTo('bob@people.example'))
    .catch((error: unknown) => error)
    .finally(() => {
      over = true
    })
  await scene.sink.until(() => true)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(over).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  const lost = (await tried) as SmtpLost
  expect([lost instanceof SmtpLost, lost.unexplained]).toEqual([true, false])
  expect(scene.trust.given).toBe(false)
  vi.useRealTimers()
  expect(await sendAll(await scene.connect(), people(3))).toEqual(['accepted', 'accepted', 'accepted'])
  expect(scene.sink.repeats()).toBe(0)
})

test('a server that has answered groups is given the whole five minutes, and stays trusted', async () => {
  let silent = false
  await using scene = await open({ recipient: () => (silent ? 'hang' : null) })
  await scene.connection.send(mailTo('ann@people.example'), mailTo('bob@people.example'))
  await scene.connection.send(mailTo('bob@people.example'), null)
  silent = true
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let over = false
  const tried = scene.connection
    .send(mailTo('cid@people.example'), null)
    .catch((error: unknown) => error)
    .finally(() => {
      over = true
    })
  await vi.advanceTimersByTimeAsync(299_999)
  expect(over).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await tried).toBeInstanceOf(SmtpLost)
  expect(scene.trust.given).toBe(true)
})

test.each(['503 5.5.1 bad sequence', '500 unknown', '554 5.5.0 improper use of pipelining'])(
  'a server that answers the first group with "%s" may mean the group: one command at a time decides',
  async (reply) => {
    await using scene = await open({ data: () => (scene.trust.given ? reply : null) })
    const lost = await scene.connection.send(mailTo('ann@people.example'), null).catch((error) => error)
    expect([lost instanceof SmtpLost, lost.unexplained]).toEqual([true, false])
    expect(scene.trust.given).toBe(false)
    expect(await sendAll(await scene.connect(), people(2))).toEqual(['accepted', 'accepted'])
  },
)

test('a message is not sent to a server that accepts an earlier command twice', async () => {
  await using scene = await open({ sender: () => 'twice' })
  await expect(scene.connection.send(mailTo('ann@people.example'), null)).rejects.toBeInstanceOf(SmtpLost)
  expect(scene.sink.total()).toBe(0)
})

test('a message is not sent to a server that asks for it twice at once', async () => {
  await using scene = await open({ data: () => 'twice' })
  await expect(scene.connection.send(mailTo('ann@people.example'), null)).rejects.toBeInstanceOf(SmtpLost)
  expect(scene.sink.total()).toBe(0)
})

test.each(['nonsense', '150 maybe', `250-${'x'.repeat(70_000)}`])(
  'a server that answers with something else than replies is lost',
  async (reply) => {
    await using scene = await open({ sender: () => reply })
    await expect(scene.connection.send(mailTo('ann@people.example'), null)).rejects.toBeInstanceOf(SmtpLost)
    expect(scene.sink.total()).toBe(0)
  },
)

test('while the server waits for the mail of one recipient, another’s is refused, and the connection ends', async () => {
  await using scene = await open({})
  await scene.connection.send(mailTo('ann@people.example'), mailTo('bob@people.example'))
  expect(scene.connection.promised).toBe('bob@people.example')
  await expect(scene.connection.send(mailTo('cid@people.example'), null)).rejects.toBeInstanceOf(SmtpLost)
  expect(scene.connection.open).toBe(false)
  expect(taken(scene.sink)).toEqual(['ann@people.example'])
})

test('a connection that is closed while the server waits for a mail leaves it with no mail at all', async () => {
  const verbs: string[] = []
  await using scene = await open({ heard: (text) => verbs.push(text.slice(0, 4)) })
  await scene.connection.send(mailTo('ann@people.example'), mailTo('bob@people.example'))
  scene.connection.close()
  const next = await scene.connect()
  await sendAll(next, ['bob@people.example'])
  next.close()
  await expect.poll(() => verbs.at(-1)).toBe('QUIT')
  expect(verbs.filter((verb) => verb === 'QUIT')).toHaveLength(1)
  expect([...scene.sink.byRecipient]).toEqual([
    ['ann@people.example', 1],
    ['bob@people.example', 1],
  ])
})

test('a mail and the next envelope are one write, and bytes that have not left stay as they are', async () => {
  await using scene = await open({})
  using written = vi.spyOn(Socket.prototype, 'write')
  const ours = () =>
    written.mock.contexts.filter((socket) => (socket as Socket).remotePort === scene.sink.port).length
  const mails = people(20).map(mailTo)
  const left = mails.map(({ message }) => vi.spyOn(message, 'leave'))
  for (const [index, mail] of mails.entries()) await scene.connection.send(mail, mails[index + 1] ?? null)
  // The first envelope, and each message with what follows it.
  expect(ours()).toBe(21)
  expect(left.filter((leave) => leave.mock.calls.length > 0)).toEqual([])
  const large = {
    ...mailTo('large@people.example'),
    message: messageOf(`To: x\r\n\r\n${'x'.repeat(2 ** 24)}\r\n`),
  }
  using leave = vi.spyOn(large.message, 'leave')
  await scene.connection.send(large, null)
  expect(leave).toHaveBeenCalledTimes(1)
  expect(scene.sink.total()).toBe(21)
})

test('a connection that waits for no reply outlives the limits of replies, and keeps to them afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await using scene = await open({})
  const [first = '', second = ''] = people(2)
  expect(await scene.connection.send(mailTo(first), null)).toEqual({ kind: 'accepted' })
  await vi.advanceTimersByTimeAsync(11 * 60_000)
  expect(scene.connection.open).toBe(true)
  expect(await scene.connection.send(mailTo(second), null)).toEqual({ kind: 'accepted' })
  await vi.advanceTimersByTimeAsync(11 * 60_000)
  let asked = 0
  scene.sink.script = {
    message() {
      asked += 1
      return 'hang'
    },
  }
  const tried = scene.connection.send(mailTo(first), null).catch((error: unknown) => error)
  await scene.sink.until(() => asked === 1)
  await vi.advanceTimersByTimeAsync(599_999)
  expect(scene.connection.open).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(await tried).toBeInstanceOf(SmtpLost)
})
