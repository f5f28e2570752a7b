import { readWhenDue } from '../../src/mail/reports/report-reader.ts'
import { addFollowers, makeCrowdTrader } from '../followers.ts'
import { openReportScenario } from './mail-reports.ts'

/** A mail that came to somebody, as what comes back quotes it. @property header as its reader's server has it, without a return path */
export type QuotedMail = { path: string; to: string; header: string }

/** The expected effect of a message, and the message, of characters that stand for a byte each. */
export type Shape = readonly [name: string, effect: string | null, message: (mail: QuotedMail) => string]

/**
 * Lets the message of each shape come to the mailbox of reports, each about the mail of a follower of its own, and reads the mailbox.
 * @returns what it came to: whom it concerns, or `complaint`; null where it is counted for nobody
 */
export async function effectsOf(shapes: readonly Shape[]): Promise<[name: string, effect: string | null][]> {
  await using scene = await openReportScenario()
  const { clock, mailbox, pool } = scene
  const trader = await makeCrowdTrader(pool, 'maria', clock.now())
  await addFollowers(pool, trader, shapes.length, clock.now())
  const { rows: people } = await pool.query<{ id: string; email: string; token: string }>(
    'select person.id, person.email, unsubscribe_token as token from subscriptions join users person on person.id = subscriber_id order by mail_no',
  )
  const mails = people.map(({ email, id, token }, index) => ({
    path: scene.pathOf(id),
    to: email,
    header: [
      'From: "Tradepost" <signals@tradepost.example>',
      `To: ${email}`,
      'Subject: @maria opened AAPL at $10.00',
      `Message-ID: <${index + 1}.${'a'.repeat(24)}.${trader.traderId}@tradepost.example>`,
      `List-Unsubscribe:\r\n <https://tradepost.example/mail/unsubscribe/${token}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      'MIME-Version: 1.0',
    ].join('\r\n'),
  }))
  for (const [index, [, , message]] of shapes.entries()) {
    const mail = mails[index]
    mailbox.arrive('')
    const arrived = mailbox.messages.at(-1)
    if (mail && arrived) arrived.raw = Buffer.from(message(mail), 'latin1')
  }
  const read = await readWhenDue(scene.deps, new AbortController().signal)
  if (read !== shapes.length) throw new Error(`${read} messages of ${shapes.length} were read`)
  const { rows } = await pool.query<{ reader_id: string; kind: string; about: string }>(
    'select reader_id, kind, about from mail_reports',
  )
  const effects = new Map(
    rows.map(({ about, kind, reader_id }) => [reader_id, kind === 'complaint' ? kind : about]),
  )
  return shapes.map(([name], index) => [name, effects.get(people[index]?.id ?? '') ?? null])
}

/** The bytes of words, a character for each. */
export function bytes(words: string): string {
  return Buffer.from(words).toString('latin1')
}

export function lines(...all: string[]): string {
  return `${all.join('\r\n')}\r\n`
}

/** @param parts each with its header, or without one where it begins with an empty line */
export function multipart(type: string, parts: string[], boundary = 'a boundary'): string {
  return lines(
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    ...parts.map((part) => `--${boundary}\r\n${part}`),
    `--${boundary}--`,
  )
}

export function part(type: string, body: string, ...more: string[]): string {
  return lines(`Content-Type: ${type}`, ...more, '', body)
}

/** From a mail system to the envelope sender of a mail. */
export function head(to: string, ...more: string[]): string {
  return lines(
    'Return-Path: <>',
    'From: Mail Delivery System <MAILER-DAEMON@mx.elsewhere.example>',
    `To: <${to}>`,
    'Subject: about your message',
    'MIME-Version: 1.0',
    ...more,
  )
}

/** The fields of one recipient. */
export function recipient(address: string, action: string, status: string, answer = ''): string {
  return lines(
    '',
    `Final-Recipient: rfc822; ${address}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(answer === '' ? [] : [`Diagnostic-Code: ${answer}`]),
  )
}
