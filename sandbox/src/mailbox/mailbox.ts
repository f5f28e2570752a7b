import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Address } from 'postal-mime'
import PostalMime from 'postal-mime'
import { policyHeader, sendPage } from '../page.ts'
import type { Part } from '../part.ts'
import { listenForImap } from './imap.ts'
import { MAIL_POLICY, openLinksOutside } from './mail-html.ts'
import { listPage, messagePage, missingPage } from './mailbox-pages.ts'
import { type Content, type MessageStore, makeMessageStore } from './message-store.ts'
import { returnedMails } from './returned-mail.ts'
import { makeReturnedStore } from './returned-store.ts'
import { listenForMail } from './smtp.ts'

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
