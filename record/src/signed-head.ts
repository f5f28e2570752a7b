import type { Sha256 } from './bytes.ts'
import { readCheckpoint } from './checkpoint.ts'
import { type Finding, finding } from './findings.ts'
import { readNote, signersOf, type VerifyEd25519 } from './note.ts'
import type { Policy } from './receipt.ts'

/** Hashes and signatures of the platform. */
export type Crypto = { sha256: Sha256; verify: VerifyEd25519 }

/** A root that the log signed. `signedAt` in ms since 1970. */
export type SignedHead = { size: number; root: Uint8Array; signedAt: number; witnesses: string[] }

/** Reads a signed checkpoint: a timed signature of the log has to hold (A1), and witnesses have to have signed (A2). */
export async function readSignedHead(
  signed: string,
  { origin, logKeys, witnesses, quorum }: Policy,
  { verify }: Crypto,
): Promise<{ head: SignedHead | null; findings: Finding[] }> {
  const note = readNote(signed)
  const checkpoint = note && readCheckpoint(note.text)
  if (!note || checkpoint?.origin !== origin)
    return { head: null, findings: [finding('A1', `This is no checkpoint of ${origin}`)] }
  const { size, root } = checkpoint
  const signers = await signersOf(note, [...logKeys, ...witnesses], verify)
  const ofLog = signers?.find(({ key, at }) => logKeys.includes(key) && at !== null)
  if (!signers || !ofLog || ofLog.at === null)
    return { head: null, findings: [finding('A1', `The checkpoint of ${size} leaves`)] }
  const names = [...new Set(signers.flatMap(({ key }) => (witnesses.includes(key) ? [key.name] : [])))]
  const findings =
    names.length < quorum
      ? [finding('A2', `${names.length} of ${quorum} signed the checkpoint of ${size} leaves`)]
      : []
  return { head: { size, root, signedAt: ofLog.at * 1000, witnesses: names }, findings }
}
