import { hash } from 'node:crypto'
import type { SmtpMessage } from '../smtp/smtp-message.ts'
import { recipientValue } from './header-lines.ts'

/** A part of a message: bytes that are the same for everybody, or the name of a gap that each recipient's value fills. */
export type Piece = Buffer | 'recipient' | 'mark' | 'token'

/** Hexadecimal digits. */
export const MARK_LENGTH = 24

/** Initial room, before the needed size is known: for a recipient's value, and for the bytes behind the message. */
const ROOM = { value: 128, behind: 512 }

/** Where a sheet has its gaps, in bytes. `body` begins behind the recipient's value. */
type Layout = {
  bytes: Buffer
  body: number
  end: number
  marks: number[]
  tokens: number[]
  tokenLength: number
}

/**
 * The message of one mail after the other in the same bytes: the shared bytes are written once, and each recipient's own over that of
 * the one before. A message is 7 kB, so a string for each would be most of a fan-out's garbage.
 */
export class MailSheet implements SmtpMessage {
  private readonly head: Buffer
  private readonly body: Piece[]
  private readonly room = { ...ROOM }
  private layout: Layout | null = null
  private recipient = { address: '', unsubscribeToken: '' }

  /** @param pieces with one recipient, in the header; the sheet keeps them */
  constructor(pieces: Piece[]) {
    const at = pieces.indexOf('recipient')
    this.head = Buffer.concat(pieces.slice(0, at).filter((piece) => typeof piece !== 'string'))
    this.body = pieces.slice(at + 1)
  }

  /** Makes it the message to this one. */
  to(recipient: { address: string; unsubscribeToken: string }): this {
    this.recipient = recipient
    return this
  }

  /** @returns the message and `behind`: in bytes that hold until the next call */
  bytes(behind: string): Buffer {
    const { address, unsubscribeToken } = this.recipient
    const value = recipientValue(address)
    const valueLength = Buffer.byteLength(value)
    const { body, bytes, end, marks, tokens } = this.layOut({
      value: valueLength,
      behind: Buffer.byteLength(behind),
      tokenLength: unsubscribeToken.length,
    })
    // Backwards from the body, so that the long part of the message stays where it is.
    const start = body - valueLength - this.head.length
    this.head.copy(bytes, start)
    bytes.write(value, body - valueLength, 'utf8')
    const mark = markOf(unsubscribeToken)
    for (const at of marks) bytes.write(mark, at, 'latin1')
    for (const at of tokens) bytes.write(unsubscribeToken, at, 'latin1')
    return bytes.subarray(start, end + bytes.write(behind, end, 'utf8'))
  }

  /** Leaves the buffer to its present readers: the next message gets another one. */
  leave(): void {
    this.layout = null
  }

  private layOut(needed: { value: number; behind: number; tokenLength: number }): Layout {
    const { layout, room } = this
    const fits = needed.value <= room.value && needed.behind <= room.behind
    if (layout && fits && layout.tokenLength === needed.tokenLength) return layout
    room.value = Math.max(room.value, needed.value)
    room.behind = Math.max(room.behind, needed.behind)
    const lengths = { recipient: 0, mark: MARK_LENGTH, token: needed.tokenLength }
    const body = this.head.length + room.value
    const ends = { mark: [] as number[], token: [] as number[] }
    let end = body
    for (const piece of this.body) {
      if (piece === 'mark' || piece === 'token') ends[piece].push(end)
      end += typeof piece === 'string' ? lengths[piece] : piece.length
    }
    const bytes = Buffer.allocUnsafeSlow(end + room.behind)
    let at = body
    for (const piece of this.body) at += typeof piece === 'string' ? lengths[piece] : piece.copy(bytes, at)
    this.layout = { bytes, body, end, marks: ends.mark, tokens: ends.token, tokenLength: needed.tokenLength }
    return this.layout
  }
}

/**
 * Distinguishes a recipient from the others of a mail without revealing either the place among those who have ever followed, or the token by
 * which somebody could unsubscribe them, since people forward and quote the id.
 */
function markOf(unsubscribeToken: string): string {
  return hash('sha256', unsubscribeToken).slice(0, MARK_LENGTH)
}
