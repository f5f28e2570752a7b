import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { mailTag, type ReturnPaths } from '../../platform/return-path.ts'
import { whomStatusConcerns } from '../../platform/smtp-outcome.ts'
import type { MailReport, Unread } from './read-report.ts'

/** How far a webhook's time may be from ours: an older one may be a replay. */
const TOLERANCE_SECONDS = 300

const text = z.string().max(1000)
const webhook = z.object({
  signature: z.object({
    timestamp: z.union([z.string().regex(/^\d{1,12}$/), z.int().min(0)]),
    token: z.string().min(1).max(200),
    signature: z.string().regex(/^[0-9a-f]{64}$/i),
  }),
  'event-data': z.object({
    event: text,
    severity: text.optional(),
    recipient: text.optional(),
    envelope: z.object({ sender: text.optional() }).optional(),
    message: z.object({ headers: z.object({ 'message-id': text.optional() }).optional() }).optional(),
    'delivery-status': z
      .object({
        code: z.int().optional().catch(undefined),
        'enhanced-code': text.optional().catch(undefined),
        message: z.string().max(10_000).optional().catch(undefined),
      })
      .optional(),
  }),
})

/** What Mailgun says of a mail, and the token of its signature, which counts once. */
export type MailgunEvent = { token: string; event: z.infer<typeof webhook>['event-data'] }

/**
 * Reads a webhook of Mailgun that was signed within five minutes (documentation.mailgun.com, Securing webhooks): the signature is
 * over time and token alone, so whoever takes a token twice takes anything.
 * @param body as it was parsed
 * @returns null for every other body, whatever is wrong with it
 */
export function verifyMailgun(body: unknown, key: string, now: Date): MailgunEvent | null {
  const { data } = webhook.safeParse(body)
  if (!data) return null
  const { signature, timestamp, token } = data.signature
  const expected = createHmac('sha256', key).update(`${timestamp}${token}`).digest()
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return null
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return null
  return { token, event: data['event-data'] }
}

/** What is told of a mail whose return path Mailgun does not name: whose address it went to, and by which Message-ID. */
export type ByAddress = { address: string; messageId: string }

/**
 * Reads what an event says of a mail of ours.
 * @returns the mail by its return path or, since the signature vouches for it, by its recipient's address
 */
export function readMailgunEvent(
  event: MailgunEvent['event'],
  paths: Pick<ReturnPaths, 'find'> | null,
): MailReport | (Omit<MailReport, 'readerId'> & ByAddress) | Unread {
  const finding = readFinding(event)
  if (typeof finding === 'string') return finding
  const trace = paths?.find(event.envelope?.sender ?? '')
  if (trace) return { ...trace, ...finding }
  const messageId = event.message?.headers?.['message-id']
  if (event.recipient === undefined || messageId === undefined) return 'of no mail of ours'
  const [left = ''] = messageId.replace(/^</, '').split('@')
  // Of an event, a recipient and a trader (mail-template.ts); single mails do not say what they are about.
  const isOfPosition = /^\d+\.[0-9a-f]{24}\.[0-9a-f-]{36}$/.test(left)
  const topic = isOfPosition ? 'positions' : 'security'
  return { ...finding, topic, tag: mailTag(left), address: event.recipient, messageId }
}

type Finding = Pick<MailReport, 'about' | 'kind' | 'smtpCode' | 'status'>

function readFinding(event: MailgunEvent['event']): Finding | Unread {
  if (event.event === 'complained')
    return { kind: 'complaint', about: 'recipient', status: null, smtpCode: null }
  if (event.event !== 'failed') return 'no report'
  if (event.severity !== 'permanent') return 'no failure'
  const { code, 'enhanced-code': enhanced = '', message = '' } = event['delivery-status'] ?? {}
  const status = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(`${enhanced} ${message}`)?.[0] ?? null
  // Codes beyond those of SMTP are Mailgun's own.
  const smtpCode = code !== undefined && code >= 500 && code < 600 ? code : null
  return { kind: 'bounce', about: whomStatusConcerns(status), status, smtpCode }
}
