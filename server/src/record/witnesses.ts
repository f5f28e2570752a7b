import { toBase64 } from '@tradepost/record/bytes'
import {
  readNote,
  readSignatureLine,
  type SignatureLine,
  signersOf,
  type VerifierKey,
  writeNote,
} from '@tradepost/record/note'
import { consistencyRanges } from '@tradepost/record/tree'
import type { Queryable } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { SignedHead } from './append.ts'
import { verifyEd25519 } from './hashes.ts'
import { updateNote } from './log.queries.ts'
import { readHashes } from './read-hashes.ts'

/** Somebody else who signs that a checkpoint goes on all that they have seen (c2sp.org/tlog-witness). */
type Witness = { key: VerifierKey; url: string }

/** A mail may wait for witnesses; ms. */
const ANSWER_LIMIT_MS = 500
const ANSWER_MAX_BYTES = 4096

type Deps = { db: Queryable; log: Log; witnesses: readonly Witness[] }

/**
 * Asks those who have not signed a checkpoint yet, and stores what they sign beside the log's own signatures.
 * @returns asks; never rejects. A witness that refuses or is away is asked again at the next checkpoint
 */
export function makeWitnessing({ db, log, witnesses }: Deps): (head: SignedHead) => Promise<void> {
  /** The size that each has signed last, as far as this process knows. */
  const seen = new Map<string, number>()

  async function cosign(witness: Witness, head: SignedHead): Promise<SignatureLine[]> {
    const { key, url } = witness
    // Whoever has seen another size than we think names it, and is asked once more.
    for (let tries = 0; tries < 2; tries += 1) {
      const old = Math.min(seen.get(url) ?? 0, head.size)
      const proof = await readHashes(db, consistencyRanges(old, head.size))
      const lines = [`old ${old}`, ...proof.map(toBase64), '', head.note]
      const { status, text } = await post(`${url}/add-checkpoint`, lines.join('\n'))
      if (status === 409 && /^\d{1,15}\n$/.test(text)) {
        seen.set(url, Number(text))
        continue
      }
      if (status !== 200) throw new Error(`a witness answered ${status}`)
      const signatures = text.split('\n').flatMap((line) => readSignatureLine(line) ?? [])
      const note = { text: readNote(head.note)?.text ?? '', signatures }
      if (!(await signersOf(note, [key], verifyEd25519))) throw new Error('a witness did not sign')
      seen.set(url, head.size)
      return signatures.filter(({ keyId, name }) => name === key.name && keyId === key.keyId)
    }
    throw new Error('a witness has seen another record')
  }

  return async (head) => {
    const note = readNote(head.note)
    if (!note) return
    const missing = witnesses.filter(({ key }) => !note.signatures.some(({ keyId }) => keyId === key.keyId))
    const answers = await Promise.all(
      missing.map((witness) =>
        cosign(witness, head).catch((error) => {
          log.warn(
            { witness: witness.key.name, reason: reasonOf(error) },
            'a witness has not signed the record',
          )
          return []
        }),
      ),
    )
    const added = answers.flat()
    if (added.length === 0) return
    const signed = writeNote({ text: note.text, signatures: [...note.signatures, ...added] })
    await updateNote(db, { ...head, before: head.note, note: signed }).catch((error) =>
      log.warn({ reason: reasonOf(error) }, 'signatures of witnesses could not be stored'),
    )
  }
}

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
  const answer = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > ANSWER_MAX_BYTES) break
  }
  return { status: answer.status, text: Buffer.from(text, 'latin1').toString('utf8') }
}
