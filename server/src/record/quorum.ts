import { readNote, readVerifierKey } from '@tradepost/record/note'
import type { Settings } from '../platform/settings.ts'
import { sha256 } from './hashes.ts'

export type Witnessing = Pick<Settings['record'], 'quorum' | 'witnesses'>

/** Whether as many witnesses have signed a checkpoint as its receipts need. @param note with signatures that were checked */
export function hasQuorum(note: string, { quorum, witnesses }: Witnessing): boolean {
  return quorum === 0 || signedBy(note, witnesses).length >= quorum
}

/** The witnesses whose signatures a checkpoint has. */
export function signedBy(note: string, witnesses: Witnessing['witnesses']): Witnessing['witnesses'] {
  const signers = new Set(readNote(note)?.signatures.map(({ keyId }) => keyId))
  return witnesses.filter(({ vkey }) => signers.has(readVerifierKey(sha256, vkey)?.keyId ?? -1))
}
