import {
  createCipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

/** Topics of mails, in the order of the numbers that stand for them in tokens: never change one, mails under way carry it. */
const TOPICS = ['positions', 'money', 'security', 'sign-in', 'operator'] as const
export type MailTopic = (typeof TOPICS)[number]

/** A mail, independent of its reader. @property tag distinguishes the mails to one reader; of `mailTag` */
type MailName = { topic: MailTopic; tag: Buffer }

/**
 * The content of a mail's envelope sender.
 * @property readerId the person who gets it; where a mail has no reader with an account, the mail's own id. A UUID.
 */
export type MailTrace = MailName & { readerId: string }

/**
 * Envelope senders that name the mail they belong to (VERP): a later report, to that address, identifies the mail that it
 * is about (ADR 0066). The name is authenticated, so that nobody can have mails to somebody else stopped.
 */
export type ReturnPaths = {
  /** @returns a bare address whose local part has at most 64 characters (RFC 5321 section 4.5.3.1.1) */
  of(mail: MailTrace): string
  /** The same for many readers of one mail, for a hundredth of the cost of one by one. @returns in their order */
  ofAll(mail: MailName, readerIds: readonly string[]): string[]
  /** The first mail of ours that a text names by its envelope sender, whatever the case of its letters; null for none. */
  find(text: string): MailTrace | null
}

const TAG_BYTES = 4
/** Topic and tag: forty bits, so that the reader's part begins at a whole digit. */
const NAME_BYTES = 1 + TAG_BYTES
/** A UUID, and a block of AES. */
const ID_BYTES = 16
/** 80 bits: who guesses has to send a mail for each guess. */
const MAC_BYTES = 10
const OWN_BYTES = ID_BYTES + MAC_BYTES
/** The digits, five bits each: letters of one case, since mail servers change it. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv'
const CODES = Buffer.from(DIGITS)
const OWN_LENGTH = digitsOf(OWN_BYTES)
const TOKEN_LENGTH = digitsOf(NAME_BYTES) + OWN_LENGTH
/** A text with more names than that was made to keep us busy. */
const MOST_TRIED = 16
/** The length that RFC 5321 leaves of a local part beside the plus and the token. */
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
  const ofAll: ReturnPaths['ofAll'] = (mail, readerIds) => {
    const head = nameOf(mail)
    const own = toDigits(sign(newest, head, readBlocks(readerIds)), OWN_BYTES)
    const start = `${name}+${toDigits(head, NAME_BYTES)}`
    return readerIds.map(
      (_, index) => start + own.slice(index * OWN_LENGTH, (index + 1) * OWN_LENGTH) + domain,
    )
  }
  return {
    of: (mail) => ofAll(mail, [mail.readerId])[0] ?? '',
    ofAll,
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

function nameOf({ topic, tag }: MailName): Buffer {
  return Buffer.concat([Buffer.of(TOPICS.indexOf(topic)), tag], NAME_BYTES)
}

/** @throws where one is no UUID: the others would have each other's */
function readBlocks(ids: readonly string[]): Buffer {
  const blocks = Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
  if (blocks.length !== ids.length * ID_BYTES) throw new Error('an id is no UUID')
  return blocks
}

/**
 * Signs readers of one mail, all with one call: the message is one block of AES-256 under a key that only this mail has, so the block
 * it becomes is a CBC-MAC of a message of fixed length, and each is cut.
 * @param name of the mail
 * @param readers a block each
 * @returns each followed by its signature
 */
function sign(key: KeyObject, name: Buffer, readers: Buffer): Buffer {
  const ofMail = createHmac('sha256', key).update(name).digest()
  const macs = createCipheriv('aes-256-ecb', ofMail, null).setAutoPadding(false).update(readers)
  const signed = Buffer.alloc((readers.length / ID_BYTES) * OWN_BYTES)
  for (let [from, to] = [0, 0]; from < readers.length; from += ID_BYTES, to += OWN_BYTES) {
    readers.copy(signed, to, from, from + ID_BYTES)
    macs.copy(signed, to + ID_BYTES, from, from + MAC_BYTES)
  }
  return signed
}

function readToken(keys: readonly KeyObject[], token: string): MailTrace | null {
  const name = fromDigits(token.slice(0, -OWN_LENGTH))
  const own = fromDigits(token.slice(-OWN_LENGTH))
  const reader = own.subarray(0, ID_BYTES)
  if (!keys.some((key) => timingSafeEqual(sign(key, name, reader), own))) return null
  const topic = TOPICS[name[0] ?? TOPICS.length]
  if (!topic) return null
  const readerId = reader.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { topic, readerId, tag: name.subarray(1) }
}

function digitsOf(bytes: number): number {
  return Math.ceil((bytes * 8) / 5)
}

/** Base32hex without padding (RFC 4648 section 7), in small letters, each block of `each` bytes by itself. */
function toDigits(bytes: Buffer, each: number): string {
  const digits = Buffer.alloc((bytes.length / each) * digitsOf(each))
  let [held, bits, at] = [0, 0, 0]
  // By index: this runs for every mail, and iterators of buffers are slow.
  for (let index = 0; index < bytes.length; index += 1) {
    held = (held << 8) | (bytes[index] ?? 0)
    for (bits += 8; bits >= 5; bits -= 5) digits[at++] = CODES[(held >> (bits - 5)) & 31] ?? 0
    held &= (1 << bits) - 1
    if ((index + 1) % each !== 0) continue
    if (bits > 0) digits[at++] = CODES[(held << (5 - bits)) & 31] ?? 0
    held = 0
    bits = 0
  }
  return digits.toString('latin1')
}

/** @param text of as many digits as whole bytes have */
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
