import type { RecordState } from '@tradepost/contract/record-keys'
import { readBytes } from '@tradepost/record/bytes'
import { readCheckpoint } from '@tradepost/record/checkpoint'
import { readNote } from '@tradepost/record/note'

const TIME_BYTES = 8
/** A time and a signature: what a timed signature holds behind the id of its key. */
const TIMED_BYTES = TIME_BYTES + 64

/**
 * The state that a checkpoint claims, for a line of information: no signature is checked, which `/verify` does.
 * @returns null for what is no signed checkpoint
 */
export function readShownState(note: string): RecordState | null {
  const read = readNote(note)
  const checkpoint = read && readCheckpoint(read.text)
  if (!read || !checkpoint) return null
  const { origin, size } = checkpoint
  const timed = read.signatures.filter(({ signature }) => signature.length === TIMED_BYTES)
  const ofLog = timed.find(({ name }) => name === origin)
  const signedAt = ofLog && readBytes(ofLog.signature).number(TIME_BYTES)
  if (signedAt === undefined || signedAt === null) return null
  return { size, signedAt, witnesses: new Set(timed.map(({ name }) => name)).size - 1 }
}
