import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Address } from 'postal-mime'
import PostalMime from 'postal-mime'
import { policyHeader, sendPage } from '../page.ts'
import type { Part } from '../part.ts'
import { listenForImap } from './imap.ts'
import { MAIL_POLICY, openLinksOutside } from './mail-html.ts'
import { listPage, messagePage, missingPage } from './mailbox-pages.ts'
import { type Content, type MessageStore, makeMessageStore } from './message-store.ts'
import { makeReturnedStore } from './returned-store.ts'
import { type Incoming, listenForMail } from './smtp.ts'

const BOUNCES = '@bounce.test'

const COMPLAINTS = '@complaint.test'

/** The failure for the name before `@bounce.test`; any other name does not exist. */
const STATUSES: Record<string, { status: string; action: 'failed' | 'delayed'; words: string }> = {
  full: { status: '5.2.2', action: 'failed', words: '552 5.2.2 mailbox full' },
  blocked: { status: '5.7.1', action: 'failed', words: '554 5.7.1 blocked by policy' },
  later: { status: '4.2.2', action: 'delayed', words: '452 4.2.2 mailbox full for now' },
}

const NOBODY = { status: '5.1.1', action: 'failed', words: '550 5.1.1 no such user' } as const

type Returned = { address: string; header: string; sender: string }

type Report = { type: string; subject: string; text: string; parts: string[][] }

const MIB = 1024 * 1024

const KEPT = { messages: 5000, bytes: 64 * MIB }

const MAX_MESSAGE_BYTES = 5 * MIB

const PAGE_SIZE = 100

type Id = { Params: { id: string } }

/**
 * Takes every mail that is sent to it, delivers none, and shows them all. In memory: a new start is an empty mailbox. Of mails to
 * bounce.test and complaint.test it sends back what mail servers would, into a mailbox that is read by IMAP.
 */
export const startMailbox: Part = async (app, { clock, host, smtpPort }) => {
  const store = makeMessageStore(KEPT)
  const returned = makeReturnedStore()
  const smtp = await listenForMail(
    { host, port: smtpPort, maxBytes: MAX_MESSAGE_BYTES },
    async (incoming) => {
      const content = await readMessage(incoming.raw, incoming.sender)
      store.add(content, incoming.recipients, incoming.raw.length, clock.now())
      for (const mail of returnedMails(incoming, clock.now())) returned.add(mail)
    },
  )
  app.addHook('onClose', () => smtp.close())
  const imap = await listenForImap({ host }, returned)
  app.addHook('onClose', () => imap.close())
  serveJson(app, store)
  servePages(app, store)
  return {
    smtpPort: smtp.port,
    imapPort: imap.port,
    card: {
      title: 'Mailbox',
      summary: `Takes mail by SMTP on port ${smtp.port} and delivers none of it: sign-in codes, notices, everything is here. What goes to bounce.test or complaint.test comes back to its sender.`,
      links: [
        { href: '/mail', text: 'Open the mailbox' },
        { href: '/mail/messages', text: 'As JSON' },
      ],
    },
  }
}

function serveJson(app: FastifyInstance, store: MessageStore): void {
  const querystring = {
    type: 'object',
    properties: { to: { type: 'string' }, since: { type: 'integer', minimum: 0 } },
  }
  app.get<{ Querystring: { to?: string; since?: number } }>(
    '/mail/messages',
    { schema: { querystring } },
    (request, reply) => reply.send(store.list(request.query)),
  )
  app.delete('/mail/messages', (_request, reply) => {
    store.clear()
    return reply.code(204).send()
  })
}

function servePages(app: FastifyInstance, store: MessageStore): void {
  const querystring = {
    type: 'object',
    properties: { to: { type: 'string' }, before: { type: 'integer', minimum: 1 } },
  }
  app.get<{ Querystring: { to?: string; before?: number } }>(
    '/mail',
    { schema: { querystring } },
    (request, reply) => {
      const to = request.query.to?.trim() || null
      const { before } = request.query
      const found = store.list({ limit: PAGE_SIZE + 1, ...(to && { to }), ...(before && { before }) })
      const messages = found.slice(0, PAGE_SIZE)
      return sendPage(reply, listPage({ messages, to, more: found.length > messages.length }))
    },
  )
  app.get<Id>('/mail/:id', (request, reply) => {
    const message = store.find(request.params.id)
    return sendPage(reply, message ? messagePage(message) : missingPage())
  })
  app.get<Id>('/mail/:id/html', (request, reply) =>
    sendMailHtml(reply, store.find(request.params.id)?.html ?? null),
  )
}

function sendMailHtml(reply: FastifyReply, markup: string | null): FastifyReply {
  if (!markup) return sendPage(reply, missingPage())
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyHeader(MAIL_POLICY))
    .send(openLinksOutside(markup))
}

/**
 * Reads a message as it came over the wire (RFC 5322, MIME).
 * @param sender the envelope's, used when the message names none
 * @throws when the message is nested beyond reason
 */
async function readMessage(raw: Buffer, sender: string): Promise<Content> {
  const mail = await PostalMime.parse(raw)
  // A record without a prototype: a header may be called anything.
  const headers: Record<string, string> = Object.create(null)
  for (const { key, value } of mail.headers)
    headers[key] = headers[key] === undefined ? value : `${headers[key]}\n${value}`
  return {
    from: mail.from ? addressText(mail.from) : sender,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    headers,
  }
}

function addressText({ name, address }: Address): string {
  return name && address ? `${name} <${address}>` : (address ?? name)
}

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
