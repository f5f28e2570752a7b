import { decodeWords, textOfHtml } from './decode-text.ts'
import { readWords } from './failure-words.ts'
import type { Message, Mime } from './mime-parts.ts'

/** What a mail system tells people in plain words: a mail failed for good, with all that it says of why, or is delayed. */
export type PlainReport =
  | { failed: true; status: string | null; smtpCode: number | null; words: string }
  | { failed: false }

const MOST_WORDS = 20_000
const LONGEST_LINE = 1000
/** Around the code: what a server is quoted with. */
const BEFORE_CODE = 300
const AROUND_CODE = 1000

const SYSTEMS =
  /mailer[-_ ]?daemon|mail[-_ ]?daemon|postmaster|mail (?:delivery|system|router|administrator|gateway)|delivery (?:sub)?system|delivery (?:status|service|agent)|system administrator|mdaemon|microsoft outlook/
const AUTORESPONDERS = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-vacation']
/** Where the mail begins that is sent back. */
const QUOTED =
  /^[>|\s]{0,20}(?:return-path|received|message-id|dkim-signature|list-unsubscribe|mime-version)[ \t]{0,5}:|^[-=_*>\s]{0,40}(?:original (?:message|mail|e-?mail)|below this line|this is a copy of|(?:a )?copy of (?:your|the) (?:message|mail)|the (?:header|body) of the|(?:included|returned|unsent|undelivered) message|message headers?|ursprüngliche nachricht|urspr.{0,10}nachricht|message d'origine|message original|元のメッセージ|原始邮件|原邮件)/i

/**
 * Reads what a mail system wrote for people (qmail, Exim of before, gateways): it has to say that the mail failed for good, in words
 * or by the answer of a server. Answers of people, their autoresponders among them, are none, whatever they quote.
 * @returns null where it is no such report
 */
export function readPlainReport(mime: Mime): PlainReport | null {
  let delayed: PlainReport | null = null
  for (const [index, message] of mime.messages.entries()) {
    const sender = senderOf(message)
    if (sender === 'a person') continue
    const told = readText(message, textOf(mime, index), sender)
    if (told?.failed) return told
    delayed ??= told
  }
  return delayed
}

/** @returns `nobody` for an empty return path alone, which autoresponders have too (RFC 3834) */
function senderOf({ header, type }: Message): 'a mail system' | 'nobody' | 'a person' {
  const from = decodeWords(`${header.get('from') ?? ''} ${header.get('sender') ?? ''}`).toLowerCase()
  const isNamed = SYSTEMS.test(from) || header.has('x-failed-recipients') || type === 'multipart/report'
  const isAnswer = /^auto-replied/i.test(header.get('auto-submitted') ?? '')
  const isBulk = /^(?:bulk|junk|list)/i.test(header.get('precedence') ?? '')
  const isAutoresponder = AUTORESPONDERS.some((name) => header.has(name))
  if (isAutoresponder || (isAnswer && (isBulk || !isNamed))) return 'a person'
  if (isNamed) return 'a mail system'
  const path = header.get('return-path')?.replaceAll(/[\s<>]/g, '')
  if (path !== undefined && /^mailer-daemon/i.test(path)) return 'a mail system'
  return path === '' ? 'nobody' : 'a person'
}

/** What the message itself says, without what it quotes. */
function textOf({ parts }: Mime, message: number): string {
  const own = parts.filter(
    (part) => part.message === message && part.type.startsWith('text/') && !part.type.includes('rfc822'),
  )
  const plain = own.filter(({ type }) => type !== 'text/html')
  const text = (plain.some(({ text: said }) => said.trim() !== '') ? plain : own)
    .map((part) => (part.type === 'text/html' ? textOfHtml(part.text) : part.text))
    .join('\n')
    .slice(0, MOST_WORDS)
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE))
  const end = lines.findIndex((line) => QUOTED.test(line))
  return (end < 0 ? lines : lines.slice(0, end)).filter((line) => !line.startsWith('>')).join('\n')
}

/** A status of its own, and none of an address such as 5.6.7.8. */
const STATUS = /(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![.\d])/
/** What a server answered: at the start of a line, or behind the sign that it is quoted. Prose that names a code is none. */
const ANSWER =
  /(?:^|[:>([|"'#*=])[ \t]{0,10}([45]\d\d)[- ](?:#?([45]\.\d{1,3}\.\d{1,3})(?![.\d]))?|[(#]{1,2}([45]\.\d{1,3}\.\d{1,3})\)/m

function readText({ header }: Message, text: string, sender: 'a mail system' | 'nobody'): PlainReport | null {
  const subject = decodeWords(header.get('subject') ?? '')
  const said = readWords(`${subject}\n${text}`)
  if (said === 'away') return null
  if (said === 'delayed') return { failed: false }
  const answer = ANSWER.exec(text)
  const code = answer?.[1] === undefined ? null : Number(answer[1])
  const status = answer?.[2] ?? answer?.[3] ?? STATUS.exec(text)?.[1] ?? null
  const isFinal = sender !== 'nobody' && answer !== null && (status?.startsWith('5') || (code ?? 0) >= 500)
  if (said !== 'failed' && !isFinal) return null
  const at = answer?.index ?? 0
  const from = Math.max(0, at - BEFORE_CODE)
  return { failed: true, status, smtpCode: code, words: text.slice(from, from + AROUND_CODE) }
}
