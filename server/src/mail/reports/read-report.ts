import { type Attachment, type ParsedMail, simpleParser } from 'mailparser'
import type { MailTrace, ReturnPaths } from '../../platform/return-path.ts'
import { whomStatusConcerns } from '../../platform/smtp-outcome.ts'
import { type Fields, readFields } from './status-fields.ts'

/** What is told of a mail of ours after a mail server had taken it. */
export type MailReport = MailTrace & {
  kind: 'bounce' | 'complaint'
  /** Whom it concerns, as of a refusal at RCPT (decision 0023). */
  about: 'address' | 'recipient' | 'policy'
  /** The enhanced status code (RFC 3463), null for none. */
  status: string | null
  smtpCode: number | null
}

/**
 * Why a message is not held against anybody. `no report`: something else, or not in the form of RFC 3464 or RFC 5965; `of no mail of
 * ours`: it names none that we sent; `no failure`: a delay, a failure for now, a delivery; `no complaint`: another kind of feedback.
 */
export type Unread =
  | 'no report'
  | 'of no mail of ours'
  | 'no failure'
  | 'no complaint'
  | 'too large'
  | 'unreadable'

const DELIVERY_STATUS = 'message/delivery-status'
const FEEDBACK = 'message/feedback-report'
/** Of RFC 5965 section 7.3 and RFC 6430: the person does not want such mails. */
const COMPLAINTS = ['abuse', 'fraud', 'opt-out', 'opt-out-list']

/**
 * Reads a message that came to the address of reports: a bounce (RFC 3464) or a complaint (RFC 5965). Anybody can write there, so the
 * mail is named by its authenticated return path alone, wherever the message quotes that; addresses in it are not looked at.
 * @param raw the whole message
 */
export async function readReport(
  raw: Buffer,
  paths: Pick<ReturnPaths, 'find'>,
): Promise<MailReport | Unread> {
  const parsed = await parse(raw)
  if (!parsed) return 'unreadable'
  if (!isReport(parsed)) return 'no report'
  const told = readBounce(parsed) ?? readComplaint(parsed) ?? 'no report'
  if (typeof told === 'string') return told
  const trace = findTrace(parsed, raw, paths)
  return trace ? { ...trace, ...told } : 'of no mail of ours'
}

async function parse(raw: Buffer): Promise<ParsedMail | null> {
  try {
    return await simpleParser(raw, {
      keepDeliveryStatus: true,
      skipHtmlToText: true,
      skipTextToHtml: true,
      skipTextLinks: true,
      skipImageLinks: true,
    })
  } catch {
    return null
  }
}

function isReport({ headers }: ParsedMail): boolean {
  const type = headers.get('content-type')
  return (
    typeof type === 'object' &&
    'value' in type &&
    typeof type.value === 'string' &&
    type.value.toLowerCase() === 'multipart/report'
  )
}

/** What is told, apart from of which mail. */
type Finding = Omit<MailReport, keyof MailTrace>

/** @returns null where it is no report of delivery */
function readBounce({ attachments }: ParsedMail): Finding | 'no failure' | null {
  const part = attachments.find(({ contentType }) => contentType === DELIVERY_STATUS)
  if (!part) return null
  const recipients = readFields(textOf(part)).filter((fields) => fields.has('action'))
  const failures = recipients.map(readFailure)
  // Each mail has one recipient. Where it was passed on to several, one of them may have got it.
  const [first, ...more] = failures
  if (!first || failures.includes(null)) return 'no failure'
  return more.reduce<Finding>((milder, other) => (other && isMilder(other, milder) ? other : milder), first)
}

const SEVERITY = ['policy', 'recipient', 'address']

function isMilder(one: Finding, other: Finding): boolean {
  return SEVERITY.indexOf(one.about) < SEVERITY.indexOf(other.about)
}

/** @returns null where it has not failed, or only for now */
function readFailure(fields: Fields): Finding | null {
  if (fields.get('action')?.toLowerCase() !== 'failed') return null
  const told = /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(fields.get('status') ?? '')?.[1] ?? null
  const answer = fields.get('diagnostic-code') ?? ''
  const [, code, answered] = /^smtp;\s*([2-5]\d\d)?[ -]*(?:([245]\.\d{1,3}\.\d{1,3})\b)?/i.exec(answer) ?? []
  const final = told ?? answered ?? code
  if (final !== undefined && !final.startsWith('5')) return null
  // What the last server answered says more than a mail system's 5.0.0; and of two readings the one for the person holds.
  const exact = answered?.startsWith('5') ? answered : null
  const status = exact && (told === null || told === '5.0.0' || /^5\.7\./.test(exact)) ? exact : told
  return {
    kind: 'bounce',
    about: whomStatusConcerns(status),
    status,
    smtpCode: code === undefined ? null : Number(code),
  }
}

/** @returns null where it is no feedback */
function readComplaint({ attachments }: ParsedMail): Finding | 'no complaint' | null {
  const part = attachments.find(({ contentType }) => contentType === FEEDBACK)
  if (!part) return null
  const [fields] = readFields(textOf(part))
  if (!COMPLAINTS.includes(fields?.get('feedback-type')?.toLowerCase() ?? '')) return 'no complaint'
  return { kind: 'complaint', about: 'recipient', status: null, smtpCode: null }
}

/** In the message as it came, or in what its parts quote once they are decoded. */
function findTrace(
  { attachments }: ParsedMail,
  raw: Buffer,
  paths: Pick<ReturnPaths, 'find'>,
): MailTrace | null {
  const texts = [raw.toString('latin1'), ...attachments.map(textOf)]
  for (const text of texts) {
    const trace = paths.find(text)
    if (trace) return trace
  }
  return null
}

function textOf({ content }: Attachment): string {
  return content.toString('latin1')
}
