import { whomWordsConcern } from '../smtp/refusal-words.ts'
import { whomRefusalConcerns } from '../smtp/smtp-outcome.ts'
import { UNSUBSCRIBE_PATH } from '../unsubscribe/unsubscribe-url.ts'
import { type Mime, MOST_BYTES, type Part, readMime } from './mime-parts.ts'
import { readPlainReport } from './plain-report.ts'
import { type Fields, readGroups } from './status-fields.ts'

/** The result that a report gives for a mail to one recipient. */
export type Finding = {
  kind: 'bounce' | 'complaint'
  /** The cause, as of a refusal at RCPT (ADR 0023); `policy` may be us, too. */
  about: 'address' | 'recipient' | 'policy'
  /** The enhanced status code (RFC 3463), null for none; of class 4 where somebody has given up. */
  status: string | null
  smtpCode: number | null
}

/** @property finding null where it has not failed @property addresses in small letters, as the report names the recipient */
export type RecipientReport = { addresses: string[]; finding: Finding | null }

/** A message as plain data: its results, and texts that may name a mail of ours, which nobody has looked up yet. */
export type ParsedReport = {
  reported: 'no report' | 'no complaint' | RecipientReport[]
  /** Texts in which envelope senders may stand. */
  names: string
  /** The mails that are quoted, by the secret of their List-Unsubscribe. @property messageId without its brackets, null for none */
  unsubscribing: { secret: string; messageId: string | null }[]
}

/** The mildest first. */
const SEVERITY = ['policy', 'recipient', 'address']
/** The most names that are tried (platform/return-path.ts). */
const MOST_NAMES = 16
const MOST_UNSUBSCRIBING = 4
/** Types of feedback by which the person does not want such mails (RFC 5965 section 7.3, RFC 6430). */
const COMPLAINTS = ['abuse', 'fraud', 'opt-out', 'opt-out-list']
/** The content types of RFC 3464, RFC 6533, RFC 5965 and RFC 8098, in any spelling; a report of another type is recognized by its fields. */
const STATUS_TYPE = /^message\/(?:x-)?(?:global-)?delivery-?status$/
const FEEDBACK_TYPE = /^message\/(?:x-)?feedback-?report$/
const RECEIPT_TYPE = /^message\/(?:global-)?disposition-notification$/

/** Reads a message that came to the address of reports. @param raw of which the head is looked at */
export function parseReport(raw: Uint8Array): ParsedReport {
  const mime = readMime(raw)
  return { reported: readReported(mime), names: findNames(raw, mime), unsubscribing: findUnsubscribing(mime) }
}

function readReported(mime: Mime): ParsedReport['reported'] {
  const groups = mime.parts.map((part) => ({ part, fields: readGroups(part.text) }))
  const recipients = outermost(
    groups.filter(({ fields, part }) => fields.some((group) => isOfRecipient(part, group))),
  )
  const plain = readPlainReport(mime)
  if (recipients.length > 0)
    return recipients.flatMap(({ fields, part }) =>
      fields
        .filter((group) => isOfRecipient(part, group))
        .map((group) => readRecipient(group, plain?.failed ? plain.words : '')),
    )
  const [feedback] = outermost(
    groups.filter(({ fields, part }) => fields.some((group) => isFeedback(part, group))),
  )
  if (feedback) {
    const type = feedback.fields.find((group) => group.has('feedback-type'))?.get('feedback-type') ?? ''
    if (!COMPLAINTS.includes(/^[\w-]*/.exec(type.toLowerCase())?.[0] ?? '')) return 'no complaint'
    return [
      { addresses: [], finding: { kind: 'complaint', about: 'recipient', status: null, smtpCode: null } },
    ]
  }
  if (groups.some(({ fields, part }) => RECEIPT_TYPE.test(part.type) || fields.some(isReceipt)))
    return [{ addresses: [], finding: null }]
  if (!plain) return 'no report'
  if (!plain.failed) return [{ addresses: [], finding: null }]
  const { smtpCode, status, words } = plain
  return [{ addresses: [], finding: findingOf(status, words, smtpCode) }]
}

/** A report within a report is of another mail. */
function outermost<T extends { part: Part }>(found: T[]): T[] {
  const depth = Math.min(...found.map(({ part }) => part.depth))
  return found.filter(({ part }) => part.depth === depth)
}

function isOfRecipient({ type }: Part, group: Fields): boolean {
  const isNamed = group.has('final-recipient') || group.has('original-recipient')
  if (STATUS_TYPE.test(type)) return group.has('action') || (isNamed && group.has('status'))
  return isNamed && group.has('action') && group.has('status')
}

function isFeedback({ type }: Part, group: Fields): boolean {
  return (
    FEEDBACK_TYPE.test(type) ||
    (group.has('feedback-type') && (group.has('version') || group.has('user-agent')))
  )
}

function isReceipt(group: Fields): boolean {
  return group.has('disposition') && group.has('final-recipient')
}

function readRecipient(group: Fields, inWords: string): RecipientReport {
  const addresses = ['final-recipient', 'original-recipient'].flatMap((name) => {
    const address = group
      .get(name)
      ?.replace(/^[\w-]{1,20}[ \t]*;/, '')
      .replaceAll(/[<>\s]/g, '')
    return address ? [address.toLowerCase()] : []
  })
  return { addresses, finding: readFailure(group, inWords) }
}

/** @returns null where it has not failed for good */
function readFailure(group: Fields, inWords: string): Finding | null {
  const field = group.get('status') ?? ''
  const status = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(field)?.[1] ?? null
  const action = group.get('action')?.toLowerCase() ?? (status?.startsWith('5') ? 'failed' : '')
  if (!action.startsWith('fail')) return null
  const answer = answerOf(group)
  const [, code, answered = null] =
    /^(?:([2-5]\d\d)\b)?[ -]{0,10}#?(?:([245]\.\d{1,3}\.\d{1,3})(?![.\d]))?/i.exec(
      answer.replace(/^.{0,200}\bsaid:?\s{0,3}(?=[245]\d\d\b)/i, ''),
    ) ?? []
  if ((status ?? answered ?? code)?.startsWith('2')) return null
  const reply = `${answer} ${field}`
  // Exim gives the reason only in the text for people.
  const words =
    whomWordsConcern(reply) === null && isVague(status) && isVague(answered) ? `${reply} ${inWords}` : reply
  const smtpCode = code === undefined ? null : Number(code)
  // The answer of the last server is more exact than a mail system's 5.0.0; of two codes the milder one counts.
  const exact = [status, answered].filter((one) => !isVague(one))
  const milder = mildest(exact.map((one) => findingOf(one, '', smtpCode)))
  return findingOf(milder?.status ?? status ?? answered, words, smtpCode)
}

/** Some mail systems have a field of their own for it. */
function answerOf(group: Fields): string {
  const given = group.get('diagnostic-code') || group.get('x-supplementary-info') || ''
  return given.replace(/^(?:<[^<>;]{0,200}smtp|[\w-]{1,20})[ \t]*;[ \t]*/, '')
}

/** Chooses the finding that is best for the person; the first of several. */
export function mildest<T extends Finding>(findings: readonly T[]): T | null {
  return findings.reduce<T | null>(
    (best, one) => (best === null || SEVERITY.indexOf(one.about) < SEVERITY.indexOf(best.about) ? one : best),
    null,
  )
}

/** No code, or "other" of its subject, which is not exact; of security it is a policy all the same. */
function isVague(status: string | null): boolean {
  return status === null || /^\d\.[0-6]\.0$/.test(status)
}

/**
 * @param status of class 4 where somebody gave up after days: the mailbox may be there, so it counts as of a recipient
 * @param words of the server; where there is no code, or one of no meaning, they decide
 */
export function findingOf(status: string | null, words: string, smtpCode: number | null): Finding {
  const meaning = status === null || isVague(status) ? '5.0.0' : status.replace(/^4/, '5')
  const about = whomRefusalConcerns(meaning, words)
  const isOver = status?.startsWith('4') ?? (smtpCode !== null && smtpCode < 500)
  return { kind: 'bounce', about: isOver && about === 'address' ? 'recipient' : about, status, smtpCode }
}

/** The surroundings of each token of an envelope sender, in the raw message and in its decoded parts. */
function findNames(raw: Uint8Array, { parts, unwrapped }: Mime): string {
  const names = new Set<string>()
  const whole = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, MOST_BYTES)).toString('latin1')
  for (const text of [whole, ...unwrapped, ...parts.map((part) => part.text)])
    for (const { index } of text.matchAll(/\+[0-9a-v]{50}@/gi)) {
      if (names.size >= MOST_NAMES) return [...names].join('\n')
      names.add(
        text
          .slice(Math.max(0, index - 64), index + 320)
          .replaceAll(/\s/g, ' ')
          .toLowerCase(),
      )
    }
  return [...names].join('\n')
}

function findUnsubscribing({ messages }: Mime): ParsedReport['unsubscribing'] {
  const shape = new RegExp(`${UNSUBSCRIBE_PATH.replace(':token', '')}([\\w-]{16,64})(?![\\w-])`)
  return messages
    .flatMap(({ header }) => {
      const secret = shape.exec(header.get('list-unsubscribe') ?? '')?.[1]
      const messageId = /<([^<>\s]{1,300})>/.exec(header.get('message-id') ?? '')?.[1] ?? null
      return secret === undefined ? [] : [{ secret, messageId }]
    })
    .slice(0, MOST_UNSUBSCRIBING)
}
