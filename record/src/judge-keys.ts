import { type Sha256, toHex } from './bytes.ts'
import { readEntryText } from './entry-text.ts'
import { type Finding, finding } from './findings.ts'
import { readVerifierKey } from './note.ts'
import type { Policy } from './receipt.ts'

/**
 * A log begins with one key, and announces each later one in an entry (A24). One that was slipped in among the keys of a site could sign
 * another history for those who ask for the keys each time.
 * @param texts of the log's own entries, each opened
 */
export function judgeKeys({ logKeys }: Policy, texts: readonly string[], sha256: Sha256): Finding[] {
  const announced = new Set(
    texts.flatMap((text) => {
      const entry = readEntryText(text)
      const key = entry?.kind === 'key' ? readVerifierKey(sha256, entry.verifierKey) : null
      return key ? [toHex(key.publicKey)] : []
    }),
  )
  // A key may be there under both types of signatures.
  const silent = new Set(
    logKeys.map(({ publicKey }) => toHex(publicKey)).filter((key) => !announced.has(key)),
  )
  return silent.size > 1
    ? [finding('A24', `${silent.size} keys are announced nowhere, and a log begins with one`)]
    : []
}
