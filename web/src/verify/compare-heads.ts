import { CHECKPOINT_PATH, CONSISTENCY_PATH } from '@tradepost/contract/record-keys'
import { fromBase64, sameBytes } from '@tradepost/record/bytes'
import type { Policy } from '@tradepost/record/receipt'
import { isContinuation } from '@tradepost/record/tree'
import type { Ask } from '../lib/record/ask-record.ts'
import { readSignedHead, type SignedHead, TOOLS } from '../lib/record/known-keys.ts'

/** Two checkpoints that the log signed and that no one history holds; `proof` is what the server answered, base64, null where it was not asked. */
export type Contradiction = { first: SignedHead; second: SignedHead; proof: string[] | null }

/** Two of one size with different roots, which needs no network. @returns null for none */
export function contradictionIn(heads: readonly SignedHead[]): Contradiction | null {
  for (const [at, first] of heads.entries()) {
    const second = heads
      .slice(at + 1)
      .find(({ root, size }) => size === first.size && !sameBytes(root, first.root))
    if (second) return { first, second, proof: null }
  }
  return null
}

export type Comparison =
  /** The present record goes on from every checkpoint. */
  | { outcome: 'continued'; today: SignedHead }
  /** There is no network, or the server answers no checkpoint. */
  | { outcome: 'unreachable' }
  /** The log did not sign the checkpoint that the server answers. */
  | { outcome: 'unsigned' }
  /** The server gives no proof that the present record goes on from this one. */
  | { outcome: 'unproven'; today: SignedHead; head: SignedHead }
  | { outcome: 'contradicted'; contradiction: Contradiction }

/** Compares checkpoints with the present one: whether the record has only grown. */
export async function compareWithToday(
  heads: readonly SignedHead[],
  policy: Policy,
  ask: Ask,
): Promise<Comparison> {
  const answer = await ask(CHECKPOINT_PATH)
  if (!answer?.ok) return { outcome: 'unreachable' }
  const today = await readSignedHead(await answer.text(), policy)
  if (!today) return { outcome: 'unsigned' }
  const contradiction = contradictionIn([...heads, today])
  if (contradiction) return { outcome: 'contradicted', contradiction }
  for (const head of heads) {
    if (head.size === today.size) continue
    // A cache may answer with a checkpoint of some seconds ago, which a newer one goes on.
    const [first, second] = head.size < today.size ? [head, today] : [today, head]
    const proof = first.size === 0 ? [] : await askForProof(first.size, second.size, ask)
    if (proof === null) return { outcome: 'unproven', today, head }
    const hashes = proof.map((hash) => fromBase64(hash) ?? new Uint8Array())
    if (!isContinuation(TOOLS.sha256, first, second, hashes))
      return { outcome: 'contradicted', contradiction: { first, second, proof } }
  }
  return { outcome: 'continued', today }
}

/** @returns null where the server gives none */
async function askForProof(from: number, to: number, ask: Ask): Promise<string[] | null> {
  const answer = await ask(`${CONSISTENCY_PATH}?from=${from}&to=${to}`)
  const body: unknown = answer?.ok ? await answer.json().catch(() => null) : null
  const proof = typeof body === 'object' && body !== null && 'proof' in body ? body.proof : null
  return Array.isArray(proof) && proof.every((hash) => typeof hash === 'string') ? proof : null
}
