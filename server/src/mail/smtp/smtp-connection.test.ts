import { afterEach, expect, test, vi } from 'vitest'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { messageOf } from '../../../test/mails/message-of.ts'
import type { SinkScript } from '../../../test/mails/sink-conversation.ts'
import { connectSmtp } from './smtp-connection.ts'
import { SmtpLost } from './smtp-outcome.ts'

const MAIL = {
  from: 'a@tradepost.example',
  to: 'b@example.com',
  message: messageOf('Subject: x\r\n\r\nx\r\n'),
}
/** One command at a time. */
const NO_TRUST = { given: false, withdraw() {} }
const MINUTE_MS = 60_000

afterEach(() => {
  vi.useRealTimers()
})

// RFC 5321 section 4.5.3.2; the network's own limit, before the greeting, is ours.
test.each<[string, number, SinkScript]>([
  ['before its greeting', 5 * MINUTE_MS, { greeting: () => 'hang' }],
  ['after MAIL', 5 * MINUTE_MS, { sender: () => 'hang' }],
  ['after RCPT', 5 * MINUTE_MS, { recipient: () => 'hang' }],
  ['after DATA', 5 * MINUTE_MS, { data: () => 'hang' }],
  ['after the final dot', 10 * MINUTE_MS, { message: () => 'hang' }],
])('a mail server may be silent %s for %i ms and no longer', async (_stage, limit, script) => {
  const sink = await startCountingSink()
  sink.script = script
  let received = 0
  for (const stage of ['greeting', 'sender', 'recipient', 'data', 'message'] as const) {
    const manner = script[stage] as (() => 'hang') | undefined
    if (manner)
      sink.script = {
        [stage]: () => {
          received += 1
          return manner()
        },
      }
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  let over = false
  const tried = connectSmtp(sink.url, { up: new AbortController().signal, trust: NO_TRUST })
    .then((connection) => connection.send(MAIL, null))
    .catch((error: unknown) => error)
    .finally(() => {
      over = true
    })
  await sink.until(() => received === 1)
  await vi.advanceTimersByTimeAsync(limit - 1)
  expect(over).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await tried).toBeInstanceOf(SmtpLost)
  vi.useRealTimers()
  await sink.close()
})

test('a connection that has carried no mail is closed with a goodbye too', async () => {
  const sink = await startCountingSink()
  const received: string[] = []
  sink.script = { heard: (text) => received.push(text) }
  const connection = await connectSmtp(sink.url, { up: new AbortController().signal, trust: NO_TRUST })
  connection.close()
  await expect.poll(() => received.at(-1)).toBe('QUIT\r\n')
  await expect.poll(() => connection.open).toBe(false)
  await sink.close()
})

test('an attempt to connect to a silent mail server can be given up at once', async () => {
  const sink = await startCountingSink()
  sink.script = { greeting: () => 'hang' }
  const given = new AbortController()
  const tried = connectSmtp(sink.url, { up: given.signal, trust: NO_TRUST })
  await expect.poll(() => sink.connections()).toBe(1)
  given.abort()
  await expect(tried).rejects.toBeInstanceOf(SmtpLost)
  await sink.close()
})

test('the silence before each reply has the whole limit, however late the reply before it was', async () => {
  const sink = await startCountingSink()
  const [sender, recipient] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let received = 0
  const late = (until: Promise<void>) => () => {
    received += 1
    return { until }
  }
  sink.script = { sender: late(sender.promise), recipient: late(recipient.promise) }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const connection = await connectSmtp(sink.url, { up: new AbortController().signal, trust: NO_TRUST })
  const tried = connection.send(MAIL, null)
  for (const [nth, one] of [sender, recipient].entries()) {
    await sink.until(() => received === nth + 1)
    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS)
    expect(connection.open).toBe(true)
    one.resolve()
  }
  expect(await tried).toEqual({ kind: 'accepted' })
  vi.useRealTimers()
  connection.close()
  await sink.close()
})
