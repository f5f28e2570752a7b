import { type MailTrace, mailTag, type ReturnPaths } from '../../platform/return-path.ts'
import {
  type Finding,
  mildest,
  type ParsedReport,
  type RecipientReport,
} from '../report-formats/parse-report.ts'

/** A report of a mail of ours that arrived after a mail server had taken the mail. */
export type MailReport = MailTrace & Finding

/**
 * Why a message is not held against anybody. `no report`: something else; `of no mail of ours`: it names none that we sent; `no
 * failure`: a delay, a delivery, a receipt; `no complaint`: another kind of feedback; `unreadable`: not within its bounds.
 */
export type Unread = 'no report' | 'of no mail of ours' | 'no failure' | 'no complaint' | 'unreadable'

/** Look-ups of readers. */
export type Readers = {
  /** The address in lower case; null for nobody. */
  emailOf(id: string): Promise<string | null>
  /** The person whose mails the secret of a List-Unsubscribe stops; null for a secret that nobody was given. */
  subscriberOf(secret: string): Promise<string | null>
}

/**
 * Judges a message to the address of reports. Anybody can write there, so the mail is named by its authenticated return path
 * alone, wherever the message quotes that, and for a complaint by the secret of its List-Unsubscribe (ADR 0090).
 * @param parsed null for a message that could not be read
 */
export async function readReport(
  parsed: ParsedReport | null,
  paths: Pick<ReturnPaths, 'find'>,
  readers: Readers,
): Promise<MailReport | Unread> {
  if (!parsed) return 'unreadable'
  const { reported } = parsed
  if (typeof reported === 'string') return reported
  const isComplaint = reported.some(({ finding }) => finding?.kind === 'complaint')
  const trace = paths.find(parsed.names) ?? (isComplaint ? await findByUnsubscribing(parsed, readers) : null)
  const finding = await findingFor(reported, trace, readers)
  if (finding === null) return 'no failure'
  return trace ? { ...trace, ...finding } : 'of no mail of ours'
}

/**
 * A mail has one recipient. Of several in a report, the one with our reader's address counts. Where the mail was passed on to others,
 * one of them without a failure is enough for no failure; else the mildest failure counts.
 */
async function findingFor(
  reported: RecipientReport[],
  trace: MailTrace | null,
  readers: Readers,
): Promise<Finding | null> {
  const email = reported.length > 1 && trace ? await readers.emailOf(trace.readerId) : null
  const own = reported.filter(({ addresses }) => email !== null && addresses.includes(email))
  const findings = (own.length > 0 ? own : reported).map(({ finding }) => finding)
  return findings.every((finding) => finding !== null) ? mildest(findings) : null
}

async function findByUnsubscribing(
  { unsubscribing }: ParsedReport,
  readers: Readers,
): Promise<MailTrace | null> {
  for (const { messageId, secret } of unsubscribing) {
    const readerId = await readers.subscriberOf(secret)
    const name = messageId === null ? null : positionMailOf(messageId)?.name
    if (readerId !== null) return { topic: 'positions', readerId, tag: mailTag(name ?? secret) }
  }
  return null
}

/** The content of a Message-ID of ours. @property name of the mail, as in its return path */
export type PositionMail = { traderId: string; name: string }

/** Reads the Message-ID of a mail about a position: event, recipient, trader (mail-template.ts). @returns null for any other mail's */
export function positionMailOf(messageId: string): PositionMail | null {
  const shape = /^<?(\d{1,19})\.[0-9a-f]{24}\.([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})@/
  const [, event, traderId] = shape.exec(messageId) ?? []
  return event === undefined || traderId === undefined ? null : { traderId, name: `${event}.${traderId}` }
}
