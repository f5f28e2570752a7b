import type { RecordKeys } from '@tradepost/contract/record-keys'
import { type Checkpoint, readCheckpoint } from '@tradepost/record/checkpoint'
import { readNote, readVerifierKey, signersOf, type VerifierKey } from '@tradepost/record/note'
import { plainSha256 } from '@tradepost/record/plain-sha256'
import type { Policy } from '@tradepost/record/receipt'
import { verifyInBrowser } from './web-signatures.ts'

export const TOOLS = { sha256: plainSha256, verify: verifyInBrowser }

/** The type of key whose signatures say when they were made (ADR 0118). */
const TIMED = 4

/** The keys of an installation, read. Keys of another type sign beside these and are left out. */
export function policyOf({ origin, log, witnesses, quorum }: RecordKeys): Policy {
  return { origin, logKeys: log.flatMap(timed), witnesses: witnesses.flatMap(timed), quorum }
}

function timed(text: string): VerifierKey[] {
  const key = readVerifierKey(plainSha256, text)
  return key?.type === TIMED ? [key] : []
}

/** A checkpoint that the log signed, with its note; `signedAt` in seconds since 1970. */
export type SignedHead = Checkpoint & { note: string; signedAt: number; witnesses: string[] }

/** @returns null for a note that is no checkpoint of this log, or that the log did not sign */
export async function readSignedHead(
  note: string,
  { logKeys, origin, witnesses }: Policy,
): Promise<SignedHead | null> {
  const read = readNote(note)
  const checkpoint = read && readCheckpoint(read.text)
  if (!read || checkpoint?.origin !== origin) return null
  const signed = await signersOf(read, [...logKeys, ...witnesses], verifyInBrowser)
  const signedAt = signed?.find(({ key }) => logKeys.includes(key))?.at ?? null
  if (!signed || signedAt === null) return null
  const names = new Set(signed.flatMap(({ key }) => (witnesses.includes(key) ? [key.name] : [])))
  return { ...checkpoint, note, signedAt, witnesses: [...names] }
}
