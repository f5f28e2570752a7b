import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { type MailTrace, mailTag, type ReturnPaths } from '../../platform/return-path.ts'
import { type Finding, findingOf } from '../report-formats/parse-report.ts'
import { whomWordsConcern } from '../smtp/refusal-words.ts'
import { positionMailOf, type Unread } from './read-report.ts'

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
    reason: text.optional().catch(undefined),
    recipient: text.optional(),
    envelope: z.object({ sender: text.optional() }).optional(),
    message: z.object({ headers: z.object({ 'message-id': text.optional() }).optional() }).optional(),
    'delivery-status': z
      .object({
        code: z.coerce.number().int().optional().catch(undefined),
        'enhanced-code': text.optional().catch(undefined),
        message: z.string().max(10_000).optional().catch(undefined),
        description: z.string().max(10_000).optional().catch(undefined),
      })
      .optional(),
  }),
})

/** Mailgun's report of a mail, and the token of its signature, which counts once. */
export type MailgunEvent = { token: string; event: z.infer<typeof webhook>['event-data'] }

/**
 * Reads a webhook of Mailgun that was signed within five minutes (documentation.mailgun.com, Securing webhooks): the signature is
 * over time and token alone, so a token that is accepted twice admits any content.
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

/**
 * The result that a report gives for a mail. @property finding `unsubscribed`: its reader wants no such mails @property reader by the return path, or by the
 * address alone where Mailgun does not name that @property traderId of whom a mail about a position is, null for other mails
 */
export type MailgunWord = {
  finding: Finding | 'unsubscribed'
  mail: Omit<MailTrace, 'readerId'>
  reader: { id: string } | { address: string }
  traderId: string | null
}

/**
 * Reads the result that an event gives for a mail of ours.
 * @returns the mail by its return path or, since the signature vouches for it, by its recipient's address
 */
export function readMailgunEvent(
  event: MailgunEvent['event'],
  paths: Pick<ReturnPaths, 'find'> | null,
): MailgunWord | Unread {
  const finding = readFinding(event)
  if (typeof finding === 'string' && finding !== 'unsubscribed') return finding
  const messageId = event.message?.headers?.['message-id']
  const position = messageId === undefined ? null : positionMailOf(messageId)
  const traderId = position?.traderId ?? null
  const trace = paths?.find(event.envelope?.sender ?? '')
  if (trace) return { finding, mail: trace, reader: { id: trace.readerId }, traderId }
  if (event.recipient === undefined) return 'of no mail of ours'
  // A reader who unsubscribes wants none of these mails, whichever one the event is about.
  if (messageId === undefined && finding !== 'unsubscribed') return 'of no mail of ours'
  // Single mails do not name their subject.
  const [left = ''] = (messageId ?? '').replace(/^</, '').split('@')
  const mail = { topic: position ? 'positions' : 'security', tag: mailTag(position?.name ?? left) } as const
  return { finding, mail, reader: { address: event.recipient }, traderId }
}

const COMPLAINT: Finding = { kind: 'complaint', about: 'recipient', status: null, smtpCode: null }
const BOUNCE = { kind: 'bounce', status: null, smtpCode: null } as const
/**
 * Codes and reasons of Mailgun's own (documentation.mailgun.com, Events and Suppressions): 605, 606 and 607 are of mails that it did not
 * try, since an earlier one bounced, or its reader unsubscribed or complained; 602 of one that it gave up after hours.
 */
const OWN = new Map<string, Finding | 'unsubscribed'>(
  Object.entries({
    602: { ...BOUNCE, about: 'recipient' },
    old: { ...BOUNCE, about: 'recipient' },
    605: { ...BOUNCE, about: 'address' },
    'suppress-bounce': { ...BOUNCE, about: 'address' },
    606: 'unsubscribed',
    'suppress-unsubscribe': 'unsubscribed',
    607: COMPLAINT,
    'suppress-complaint': COMPLAINT,
    espblock: { ...BOUNCE, about: 'policy' },
  }),
)
const FIRST_OWN_CODE = 600

function readFinding(event: MailgunEvent['event']): Finding | 'unsubscribed' | Unread {
  if (event.event === 'unsubscribed') return 'unsubscribed'
  if (event.event === 'complained') return COMPLAINT
  if (event.event !== 'failed') return 'no report'
  if (event.severity !== 'permanent') return 'no failure'
  const status = event['delivery-status'] ?? {}
  const { code = 0, description = '', 'enhanced-code': enhanced = '', message = '' } = status
  const own = OWN.get(String(code)) ?? OWN.get(event.reason ?? '')
  if (own) return own
  const words = `${message} ${description}`
  // A code of its own that we do not know speaks of the account or the list as likely as of the reader.
  if (code >= FIRST_OWN_CODE) {
    const about = whomWordsConcern(words)
    return { ...BOUNCE, about: about === null || about === 'us' ? 'policy' : about }
  }
  const named = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![.\d])/.exec(`${enhanced} ${words}`)?.[0] ?? null
  return findingOf(named, words, code >= 400 ? code : null)
}
