import { fromHex, sameBytes } from './bytes.ts'
import { findErasure, withoutErased } from './find-erased.ts'
import { type Finding, finding } from './findings.ts'
import { growingRoot } from './growing-root.ts'
import { followHistories, type Histories, type RecordHistory } from './histories.ts'
import { judgeCounts } from './judge-counts.ts'
import { judgeKeys } from './judge-keys.ts'
import { judgeNames } from './judge-names.ts'
import { judgeText, type Revealed, revealedOf } from './judge-texts.ts'
import { readLeaf } from './leaf.ts'
import type { Policy } from './receipt.ts'
import type { RecordSource } from './record-source.ts'
import { type Crypto, readSignedHead, type SignedHead } from './signed-head.ts'
import { readBundle, TILE_WIDTH, widthAt } from './tiles.ts'
import { leafHash } from './tree.ts'

/** Clocks of the log and of its signatures may differ by so much. */
const AHEAD_MS = 60_000

/** So many records are looked at, and so many texts of each asked for, at once. */
const AT_ONCE = 5

export type Audit = {
  findings: Finding[]
  /** The checkpoint that was audited; null where the log did not sign it. */
  head: SignedHead | null
  /** Traders without a page: nobody had this name, or the record was erased. */
  missing: string[]
}

/**
 * Audits a whole log with the public answers alone (checks A1, A2, A6 to A16 and A24).
 * @param usernames the traders whose pages are held against the log
 */
export async function auditLog(
  source: RecordSource,
  policy: Policy,
  crypto: Crypto,
  usernames: readonly string[] = [],
): Promise<Audit> {
  // The pages come first: a log that is asked later has everything that they count.
  const pages = await Promise.all(
    usernames.map(async (username) => ({ username, shown: await source.trader(username) })),
  )
  const { head, findings } = await readSignedHead(await source.checkpoint(), policy, crypto)
  const missing = pages.flatMap(({ username, shown }) => (shown ? [] : [username]))
  if (!head) return { findings, head, missing }
  const { histories, others, found } = await readLeaves(source, head, crypto)
  const records = [...histories.records.values()]
  const announced: string[] = []
  const ofOthers = await readTexts(source, others, crypto, (text) => announced.push(text))
  const erasureOf = (record: string) => findErasure(source, head, fromHex(record), policy, crypto)
  const judgeRecord = async (record: RecordHistory) =>
    withoutErased(
      await readTexts(source, [...revealedOf(histories, record, head.signedAt)], crypto),
      erasureOf,
    )
  const ofRecords: Finding[] = []
  for (let from = 0; from < records.length; from += AT_ONCE)
    ofRecords.push(...(await Promise.all(records.slice(from, from + AT_ONCE).map(judgeRecord))).flat())
  const ofPages = pages.flatMap(({ username, shown }) =>
    shown ? judgeCounts(username, shown, histories, head.signedAt) : [],
  )
  const ofAll = [...judgeKeys(policy, announced, crypto.sha256), ...judgeNames(pages)]
  return { findings: [...findings, ...found, ...ofOthers, ...ofRecords, ...ofPages, ...ofAll], head, missing }
}

/** Reads all leaves, in order. `others` are those of no trader, whose texts are public. */
async function readLeaves(
  source: RecordSource,
  { size, root, signedAt }: SignedHead,
  { sha256 }: Crypto,
): Promise<{ histories: Histories; others: Revealed[]; found: Finding[] }> {
  const histories = followHistories()
  const tree = growingRoot(sha256)
  const found: Finding[] = []
  const others: Revealed[] = []
  for (let tile = 0; tile * TILE_WIDTH < size; tile++) {
    const width = widthAt({ level: 'entries', index: tile }, size)
    const entries = readBundle(await source.bundle(tile, width), width)
    if (!entries) {
      found.push(finding('A6', `The entries from ${tile * TILE_WIDTH} cannot be read`))
      return { histories, others, found }
    }
    for (const entry of entries) {
      const index = tree.size()
      const hash = leafHash(sha256, entry)
      const leaf = readLeaf(entry)
      tree.add(hash)
      if (!leaf) {
        found.push(finding('A7', `Entry ${index} is no leaf of the record`, { index }))
        continue
      }
      found.push(...histories.add(index, leaf, hash))
      if (leaf.at > signedAt + AHEAD_MS)
        found.push(finding('A12', `Leaf ${index} is later than the signature over it`, { index }))
      if (leaf.seq === 0)
        others.push({ leaf: histories.leaf(index), record: null, position: null, isDue: false })
    }
  }
  if (!sameBytes(tree.root(), root)) found.push(finding('A6', `The checkpoint of ${size} leaves`))
  return { histories, others, found }
}

/** Asks for texts side by side, and judges them in their order. @param note is given those that are true */
async function readTexts(
  source: RecordSource,
  revealed: readonly Revealed[],
  { sha256 }: Crypto,
  note: (text: string) => void = () => undefined,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (let from = 0; from < revealed.length; from += AT_ONCE) {
    const batch = revealed.slice(from, from + AT_ONCE)
    const answers = await Promise.all(batch.map(({ leaf }) => source.opening(leaf.index)))
    for (const [at, one] of batch.entries()) {
      const answer = answers[at] ?? 'sealed'
      const judged = judgeText(sha256, one, answer)
      found.push(...judged)
      if (typeof answer === 'object' && judged.length === 0) note(answer.text)
    }
  }
  return found
}
