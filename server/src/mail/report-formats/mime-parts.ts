import { decodeBody, decodeCharset, encodingOf } from './decode-text.ts'
import { type Fields, readFields } from './status-fields.ts'

/** A message, or the header of one, wherever it stands. @property depth 0 for the one that came */
export type Message = { header: Fields; type: string; depth: number }
/** A part that contains no parts. @property message in which it stands, by its place among the messages */
export type Part = { type: string; text: string; message: number; depth: number }
/** @property unwrapped the decoded content of encoded containers */
export type Mime = { messages: Message[]; parts: Part[]; unwrapped: string[] }

/** The bytes of a message that are read: a report begins with its result, and the mail that it quotes is long. */
export const MOST_BYTES = 262_144
const MOST_LINES = 20_000
/** RFC 5322 allows 998; a longer line is cut. */
const LONGEST_LINE = 4000
const MOST_DEPTH = 12
const MOST_PARTS = 100
/** The limit of all decoded text, however it is nested. */
const MOST_DECODED = 4 * MOST_BYTES

const MESSAGES = ['message/rfc822', 'message/global', 'message/news', 'text/rfc822']
const HEADERS = [
  'text/rfc822-headers',
  'text/rfc822-header',
  'message/global-headers',
  'message/rfc822-headers',
]
/** Some gateways make two returns of one. */
const LINE_END = /\r+\n?/g
/** How a message begins that some gateway passes on as octets or as a text. */
const FIRST_FIELD =
  /^(?:received|return-path|delivered-to|message-id|mime-version|dkim-signature|from|to|subject|date|content-type|x-[\w-]{1,60})[ \t]*:/i

/**
 * The parts of a message, at any depth (RFC 2045, RFC 2046). Anybody may have written it: bytes, lines, depth, parts and what is
 * decoded are bounded, each step takes time in proportion to them, and malformed parts are read as far as they can be.
 */
export function readMime(raw: Uint8Array): Mime {
  const walk: Walk = { messages: [], parts: [], unwrapped: [], left: MOST_DECODED }
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, MOST_BYTES)).toString('latin1')
  readMessage(walk, linesOf(text.replaceAll(LINE_END, '\n')), 0)
  const { messages, parts, unwrapped } = walk
  return { messages, parts, unwrapped }
}

type Walk = Mime & { left: number }
type Lines = readonly string[]
type Place = { message: number; depth: number }

function linesOf(text: string): Lines {
  return text.split('\n', MOST_LINES).map((line) => line.slice(0, LONGEST_LINE))
}

function readMessage(walk: Walk, lines: Lines, depth: number, from = 0, to = lines.length): void {
  const { fields, next } = readFields(lines, from, to)
  walk.messages.push({ header: fields, type: typeOf(fields), depth })
  readBody(walk, fields, { lines, from: next, to }, { message: walk.messages.length - 1, depth })
}

type Range = { lines: Lines; from: number; to: number }

function readBody(walk: Walk, header: Fields, range: Range, place: Place): void {
  if (walk.parts.length >= MOST_PARTS || walk.messages.length >= MOST_PARTS) return
  const type = typeOf(header)
  const encoding = encodingOf(header.get('content-transfer-encoding'))
  const inner = place.depth < MOST_DEPTH
  if (inner && (type.startsWith('multipart/') || MESSAGES.includes(type))) {
    const { lines, from, to } = encoding ? decoded(walk, range, encoding) : range
    if (MESSAGES.includes(type)) {
      readMessage(walk, lines, place.depth + 1, from, to)
      return
    }
    for (const boundary of [parameter(header, 'boundary'), guessBoundary({ lines, from, to })])
      if (boundary && readMultipart(walk, boundary, { lines, from, to }, place)) return
  }
  const body = spend(walk, textOf(range))
  const text = decodeCharset(decodeBody(body, encoding), parameter(header, 'charset')).replaceAll(
    /\r\n?/g,
    '\n',
  )
  if (HEADERS.includes(type)) {
    const { fields } = readFields(linesOf(text.trimStart()))
    walk.messages.push({ header: fields, type, depth: place.depth + 1 })
  } else if (inner && looksLikeMessage(text.trimStart())) readMessage(walk, linesOf(text), place.depth + 1)
  walk.parts.push({ type, text, ...place })
}

/** @returns false where there is none of its boundaries, so that it is read as a text */
function readMultipart(walk: Walk, boundary: string, { from, lines, to }: Range, place: Place): boolean {
  const begin = `--${boundary}`
  const end = `${begin}--`
  let start: number | null = null
  let found = false
  const part = (first: number, last: number) => {
    if (walk.parts.length >= MOST_PARTS) return
    const { fields, next } = readFields(lines, first, last)
    // Without a header of its own an empty line is the first one.
    readBody(walk, fields, { lines, from: next, to: last }, { ...place, depth: place.depth + 1 })
  }
  for (let at = from; at < to && walk.parts.length < MOST_PARTS; at += 1) {
    const line = lines[at] ?? ''
    if (!line.startsWith(begin)) continue
    const whole = line.trimEnd()
    if (whole !== begin && whole !== end) continue
    if (start !== null) part(start, at)
    found = true
    start = whole === end ? null : at + 1
    if (start === null) break
  }
  // Cut off.
  if (start !== null) part(start, to)
  return found
}

/** Guesses the boundary of a multipart that declares none, or a wrong one: its first line of that form. */
function guessBoundary({ from, lines, to }: Range): string {
  for (let at = from; at < Math.min(to, from + 20); at += 1) {
    const line = (lines[at] ?? '').trimEnd()
    if (/^--[^\s-].{0,200}$/.test(line)) return line.slice(2)
  }
  return ''
}

function decoded(walk: Walk, range: Range, encoding: 'base64' | 'quoted-printable'): Range {
  const text = decodeBody(spend(walk, textOf(range)), encoding).replaceAll(LINE_END, '\n')
  walk.unwrapped.push(text)
  const lines = linesOf(text)
  return { lines, from: 0, to: lines.length }
}

function textOf({ from, lines, to }: Range): string {
  return lines.slice(from, to).join('\n')
}

function spend(walk: Walk, text: string): string {
  const some = text.slice(0, Math.max(0, walk.left))
  walk.left -= some.length
  return some
}

function looksLikeMessage(text: string): boolean {
  return (
    FIRST_FIELD.test(text) &&
    /\n(?:message-id|mime-version|list-unsubscribe)[ \t]*:/i.test(text.slice(0, 20_000))
  )
}

function typeOf(header: Fields): string {
  return /^[^\s;(]{1,100}/.exec(header.get('content-type') ?? '')?.[0].toLowerCase() ?? 'text/plain'
}

function parameter(header: Fields, name: 'boundary' | 'charset'): string | null {
  const field = header.get('content-type') ?? ''
  const [, quoted, plain] =
    new RegExp(`[;\\s]${name}[ \\t]?=[ \\t]?(?:"([^"]{1,200})"|([^\\s;"]{1,200}))`, 'i').exec(field) ?? []
  return quoted ?? plain ?? null
}
