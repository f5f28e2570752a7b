import type { Incoming } from './smtp.ts'

const BOUNCES = '@bounce.test'
const COMPLAINTS = '@complaint.test'

/** The failure for the name before `@bounce.test`; any other name does not exist. */
const STATUSES: Record<string, { status: string; action: 'failed' | 'delayed'; words: string }> = {
  full: { status: '5.2.2', action: 'failed', words: '552 5.2.2 mailbox full' },
  blocked: { status: '5.7.1', action: 'failed', words: '554 5.7.1 blocked by policy' },
  later: { status: '4.2.2', action: 'delayed', words: '452 4.2.2 mailbox full for now' },
}
const NOBODY = { status: '5.1.1', action: 'failed', words: '550 5.1.1 no such user' } as const

/**
 * The messages that mail servers return for an accepted mail: a bounce (RFC 3464) for each recipient at bounce.test, a complaint
 * (RFC 5965) for each at complaint.test. A mail without an envelope sender is never answered (RFC 5321 section 4.5.5).
 * @returns whole messages, each to the mail's envelope sender
 */
export function returnedMails({ raw, recipients, sender }: Incoming, now: Date): string[] {
  if (sender === '') return []
  const header = headerOf(raw)
  return recipients.flatMap((recipient) => {
    const address = recipient.toLowerCase()
    if (address.endsWith(BOUNCES)) return [bounce({ address, header, sender }, now)]
    if (address.endsWith(COMPLAINTS)) return [complaint({ address, header, sender }, now)]
    return []
  })
}

type Returned = { address: string; header: string; sender: string }

function bounce({ address, header, sender }: Returned, now: Date): string {
  const name = address.slice(0, -BOUNCES.length).split(/[.+]/)[0] ?? ''
  const { action, status, words } = STATUSES[name] ?? NOBODY
  return report(sender, now, {
    type: 'delivery-status',
    subject:
      action === 'failed' ? 'Undelivered Mail Returned to Sender' : 'Delayed Mail (still being retried)',
    text: `Your message to ${address} could not be delivered: ${words}`,
    parts: [
      [
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; sandbox.localhost',
        `Arrival-Date: ${dateOf(now)}`,
        '',
        `Final-Recipient: rfc822; ${address}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${words}`,
      ],
      ['Content-Type: text/rfc822-headers', '', header],
    ],
  })
}

function complaint({ address, header, sender }: Returned, now: Date): string {
  return report(sender, now, {
    type: 'feedback-report',
    subject: 'FW: abuse report',
    text: `This is an abuse report for a message to ${address}.`,
    parts: [
      [
        'Content-Type: message/feedback-report',
        '',
        'Feedback-Type: abuse',
        'User-Agent: sandbox/1',
        'Version: 1',
        `Original-Mail-From: <${sender}>`,
      ],
      ['Content-Type: message/rfc822', '', header, '', 'The message was left out.'],
    ],
  })
}

type Report = { type: string; subject: string; text: string; parts: string[][] }

function report(to: string, now: Date, { parts, subject, text, type }: Report): string {
  const boundary = 'of-the-sandbox'
  const lines = [
    `Return-Path: <>`,
    'From: Mail Delivery System <mailer-daemon@sandbox.localhost>',
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${dateOf(now)}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    '',
  ]
  return lines.join('\r\n')
}

function headerOf(raw: Buffer): string {
  const text = raw.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? text : text.slice(0, end)
}

function dateOf(now: Date): string {
  return now.toUTCString().replace('GMT', '+0000')
}
