import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What a mail is about, in the order of the numbers that stand for it in tokens: never change one, mails under way carry it. */
const TOPICS = ['positions', 'money', 'security', 'sign-in', 'operator'] as const
export type MailTopic = (typeof TOPICS)[number]

/** What the envelope sender of a mail says of it. */
export type MailTrace = {
  topic: MailTopic
  /** The person who gets it; where a mail has no reader with an account, the mail's own id. A UUID. */
  readerId: string
  /** Tells the mails to one reader apart; of `mailTag`. */
  tag: Buffer
}

/**
 * Envelope senders that name the mail they belong to (VERP): what comes back later, to the address that it came from, says whom it
 * is about (decision 0066). The name is authenticated, so that nobody can have mails to somebody else stopped.
 */
export type ReturnPaths = {
  /** @returns a bare address whose local part has at most 64 characters (RFC 5321 section 4.5.3.1.1) */
  of(mail: MailTrace): string
  /** The first mail of ours that a text names by its envelope sender, whatever the case of its letters; null for none. */
  find(text: string): MailTrace | null
}

const ID_BYTES = 16
const TAG_BYTES = 4
const BODY_BYTES = 1 + ID_BYTES + TAG_BYTES
/** 80 bits: who guesses has to send a mail for each guess. */
const MAC_BYTES = 10
/** Of five bits each: letters of one case, since mail servers change it. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv'
const TOKEN_LENGTH = Math.ceil(((BODY_BYTES + MAC_BYTES) * 8) / 5)
/** A text with more names than that was made to keep us busy. */
const MOST_TRIED = 16
/** What RFC 5321 leaves of a local part beside the plus and the token. */
export const BOUNCE_NAME_MAX_LENGTH = 64 - TOKEN_LENGTH - 1

/**
 * @param address to which reports go: the token stands behind its local part and a plus (RFC 5233)
 * @param keys of 32 bytes, the newest first; earlier ones are still read
 */
export function makeReturnPaths(address: string, keys: readonly Buffer[]): ReturnPaths {
  const at = address.lastIndexOf('@')
  const [name, domain] = [address.slice(0, at), address.slice(at)]
  const shape = `${literally(name)}\\+([${DIGITS}]{${TOKEN_LENGTH}})${literally(domain)}`
  const known = keys.map((key) => createSecretKey(key))
  const [newest] = known
  if (!newest) throw new Error('a key is missing')
  return {
    of: (mail) => `${name}+${makeToken(newest, mail)}${domain}`,
    find(text) {
      let tried = 0
      for (const [, token = ''] of text.matchAll(new RegExp(shape, 'gi'))) {
        const trace = readToken(known, token.toLowerCase())
        tried += 1
        if (trace || tried === MOST_TRIED) return trace
      }
      return null
    },
  }
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** @param name of a mail among those to one reader, the same at every try */
export function mailTag(name: string): Buffer {
  return hash('sha256', name, 'buffer').subarray(0, TAG_BYTES)
}

function makeToken(key: KeyObject, { topic, readerId, tag }: MailTrace): string {
  const bytes = Buffer.alloc(BODY_BYTES + MAC_BYTES)
  bytes[0] = TOPICS.indexOf(topic)
  bytes.write(readerId.replaceAll('-', ''), 1, ID_BYTES, 'hex')
  tag.copy(bytes, 1 + ID_BYTES)
  macOf(key, bytes.subarray(0, BODY_BYTES)).copy(bytes, BODY_BYTES)
  return toDigits(bytes)
}

function readToken(keys: readonly KeyObject[], token: string): MailTrace | null {
  const bytes = fromDigits(token)
  const [body, given] = [bytes.subarray(0, BODY_BYTES), bytes.subarray(BODY_BYTES)]
  if (!keys.some((key) => timingSafeEqual(macOf(key, body), given))) return null
  const topic = TOPICS[body[0] ?? TOPICS.length]
  if (!topic) return null
  const id = body.toString('hex', 1, 1 + ID_BYTES)
  const readerId = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { topic, readerId, tag: body.subarray(1 + ID_BYTES) }
}

/** Base32hex without padding (RFC 4648 section 7), in small letters. */
function toDigits(bytes: Buffer): string {
  let text = ''
  let [held, bits] = [0, 0]
  // By index: this runs once a mail, and iterators of buffers are slow.
  for (let index = 0; index < bytes.length; index += 1) {
    held = (held << 8) | (bytes[index] ?? 0)
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + DIGITS[(held << (5 - bits)) & 31] : text
}

/** @param text of as many digits as a token has */
function fromDigits(text: string): Buffer {
  const bytes: number[] = []
  let [held, bits] = [0, 0]
  for (const digit of text) {
    held = (held << 5) | DIGITS.indexOf(digit)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(held >> bits)
    held &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}

function macOf(key: KeyObject, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES)
}
