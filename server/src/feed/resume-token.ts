import { FEED_RESUMES_TRADERS } from '@tradepost/contract/feed'

/** A trader is 16 bytes of id and 6 of the number of an event. */
const ID_BYTES = 16
const ENTRY_BYTES = 22

/** Number of the last event, by trader. */
export type Cursors = ReadonlyMap<string, number>

/** A message's id: the last event of each trader that its reader received, as text. Of more traders than it holds the rest is left out. */
export function writeResumeToken(cursors: Cursors): string {
  const token = Buffer.alloc(Math.min(cursors.size, FEED_RESUMES_TRADERS) * ENTRY_BYTES)
  let at = 0
  for (const [traderId, eventNo] of cursors) {
    if (at === token.length) break
    token.write(traderId.replaceAll('-', ''), at, 'hex')
    token.writeUIntBE(eventNo, at + ID_BYTES, ENTRY_BYTES - ID_BYTES)
    at += ENTRY_BYTES
  }
  return token.toString('base64url')
}

/** @returns null for a text that is no such id; anybody may have written it, so it decides what to send and not who may read it */
export function readResumeToken(text: string): Cursors | null {
  const token = Buffer.from(text, 'base64url')
  const count = token.length / ENTRY_BYTES
  if (count === 0 || !Number.isInteger(count) || count > FEED_RESUMES_TRADERS) return null
  return new Map(Array.from({ length: count }, (_, nth) => readEntry(token, nth * ENTRY_BYTES)))
}

function readEntry(token: Buffer, at: number): [string, number] {
  const id = token.toString('hex', at, at + ID_BYTES)
  const traderId = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return [traderId, token.readUIntBE(at + ID_BYTES, ENTRY_BYTES - ID_BYTES)]
}
