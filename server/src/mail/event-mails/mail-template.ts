import { randomBytes } from 'node:crypto'
import addressparser from 'nodemailer/lib/addressparser'
import { mailTag } from '../../platform/return-path.ts'
import { foldField, headerText, isPlain, oneLine } from './header-lines.ts'
import { MARK_LENGTH, MailSheet, type Piece } from './mail-sheet.ts'

/** Longest encoded line; a soft break or an encoded last blank still fits into the 76 that RFC 2045 section 6.7 allows. */
const LINE = 73

/** A whole mail, made once, with three gaps that each recipient fills. */
export type MailTemplate = {
  /** Distinguishes the mails to one recipient in reports. */
  tag: Buffer
  /** Makes the sheet for the messages of one connection, one after the other: headers and all, lines end in CRLF, and none begins with a dot. */
  sheet(): MailSheet
}

/** The length of each gap's value, in characters: lines keep their length. */
const TOKEN_LENGTH = 22

/** Runs of letters that quoted-printable leaves as they are, and any other character alone. */
const RUNS = /[\x20-\x3c\x3e-\x7e\t]+|./gsu
const PLAIN = /^[\x20-\x3c\x3e-\x7e\t]/

/** Each process draws its own, so that nobody can write them into notes. Letters and digits: nothing encodes them. */
const gaps = { recipient: gap(TOKEN_LENGTH), mark: gap(MARK_LENGTH), token: gap(TOKEN_LENGTH) }

/** Stands in links where each recipient's own token will stand. */
export const TOKEN_GAP = gaps.token

/**
 * Builds the MIME message of an event (RFC 5322, 2045, 2369, 8058).
 * @param mail.from as configured, with or without a name
 * @param mail.messageId parts of the Message-ID beside the recipient's: a repeated mail keeps its id, so relays and mailboxes can recognize
 *   that it is the same one
 * @param mail.unsubscribeUrl holds `TOKEN_GAP`
 */
export function makeMailTemplate(mail: {
  from: string
  subject: string
  text: string
  html: string
  at: Date
  messageId: { event: string; source: string }
  listName: string
  unsubscribeUrl: string
}): MailTemplate {
  const sender = parseSender(mail.from)
  // Quoted-printable never produces "=_", so the boundary cannot occur in a part (RFC 2045 section 6.7).
  const boundary = `=_${mail.messageId.event}.${mail.messageId.source}`
  const headers = [
    `From: ${sender.header}`,
    `To:${gaps.recipient}`,
    `Subject: ${headerText(mail.subject)}`,
    `Date: ${mail.at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.messageId.event}.${gaps.mark}.${mail.messageId.source}@${sender.domain}>`,
    `List-ID: <${mail.listName}.${sender.domain}>`,
    `List-Unsubscribe: <${mail.unsubscribeUrl}>`,
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'Auto-Submitted: auto-generated',
    'X-Auto-Response-Suppress: All',
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ]
  const lines = [
    ...headers.map(foldField),
    '',
    ...part(boundary, 'text/plain', mail.text),
    ...part(boundary, 'text/html', mail.html),
  ]
  const tag = mailTag(`${mail.messageId.event}.${mail.messageId.source}`)
  const pieces = cut(`${lines.join('\r\n')}\r\n--${boundary}--\r\n`)
  return { tag, sheet: () => new MailSheet(pieces) }
}

function part(boundary: string, type: string, content: string): string[] {
  return [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quotedPrintable(content, [gaps.token]),
  ]
}

/** Cuts a message into the bytes that all recipients share, and the gaps between them. */
function cut(message: string): Piece[] {
  const names = new Map([
    [gaps.recipient, 'recipient'],
    [gaps.mark, 'mark'],
    [gaps.token, 'token'],
  ] as const)
  return message
    .split(new RegExp(`(${Object.values(gaps).join('|')})`))
    .map((text) => names.get(text) ?? Buffer.from(text))
}

/** The bare address of a From line, for envelopes. */
export function senderAddress(from: string): string {
  return parseSender(from).address
}

function parseSender(from: string): { address: string; domain: string; header: string } {
  const [parsed] = addressparser(oneLine(from), { flatten: true })
  const address = parsed?.address ?? ''
  const name = parsed?.name ?? ''
  const shown = isPlain(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : headerText(name)
  return {
    address,
    domain: address.split('@').at(-1) || 'localhost',
    header: name ? `${shown} <${address}>` : `<${address}>`,
  }
}

/** @param length at most 32 */
function gap(length: number): string {
  return `x${randomBytes(16)
    .toString('hex')
    .slice(0, length - 1)}`
}

/**
 * Quoted-printable, in ASCII with CRLF line ends. Everything but plain letters that could mean something to a mail
 * server or an odd gateway is encoded: no line of the result begins with a dot, and no bare CR or LF comes through.
 * @param whole words that no soft break may cut, so that they can be replaced afterwards
 */
export function quotedPrintable(text: string, whole: string[]): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => encodeLine(line, whole))
    .join('\r\n')
}

function encodeLine(line: string, whole: string[]): string {
  const lines: string[] = []
  let current = ''
  const add = (atom: string) => {
    if (current.length + atom.length > LINE) {
      lines.push(`${current}=`)
      current = ''
    }
    current += current === '' && atom === '.' ? '=2E' : atom
  }
  // Letters one by one would take longer than the rest of a mail.
  const addPlain = (letters: string) => {
    for (let rest = letters; rest !== ''; ) {
      const isFirstDot = rest.startsWith('.') && current === ''
      const taken = rest.slice(0, isFirstDot ? 1 : Math.max(1, LINE - current.length))
      add(taken)
      rest = rest.slice(taken.length)
    }
  }
  for (const part of whole.length > 0 ? line.split(new RegExp(`(${whole.join('|')})`)) : [line]) {
    if (whole.includes(part)) add(part)
    else
      for (const run of part.match(RUNS) ?? []) {
        if (PLAIN.test(run)) addPlain(run)
        else add(encodeBytes(run))
      }
  }
  lines.push(current.replace(/[ \t]$/, encodeBytes))
  return lines.join('\r\n')
}

function encodeBytes(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
