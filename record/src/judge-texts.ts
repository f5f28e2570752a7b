import { type Sha256, sameBytes } from './bytes.ts'
import { type EntryText, readEntryText } from './entry-text.ts'
import { type Finding, finding } from './findings.ts'
import { type Histories, openingOf, type RecordHistory } from './histories.ts'
import { publicFrom } from './hold-days.ts'
import type { KeptLeaf, Position } from './kept-leaves.ts'
import { commitTo, type Leaf } from './leaf.ts'
import type { Opening } from './record-source.ts'

/** A leaf whose text is looked at. */
export type Revealed = {
  leaf: KeptLeaf
  record: RecordHistory | null
  position: Position | null
  /** Everybody may see it, so an answer without it is a finding. */
  isDue: boolean
}

/**
 * The leaves of a record whose texts may be public: those of positions that have ended, or are past their declared hold.
 * @param now when the texts are asked for, ms since 1970
 */
export function* revealedOf(histories: Histories, record: RecordHistory, now: number): Generator<Revealed> {
  if (record.isErased) return
  for (const index of record.leaves) {
    const leaf = histories.leaf(index)
    const position = histories.position(record, openingOf(leaf))
    if (!position) continue
    const isDue = position.closedSeq !== null || publicFrom(position) <= now
    if (isDue || position.struckSeq !== null) yield { leaf, record, position, isDue }
  }
}

/** Judges one answer (A13, A14), and the strike of a closed position, which its text alone shows (A9, A10). */
export function judgeText(sha256: Sha256, { leaf, record, position, isDue }: Revealed, shown: Opening) {
  const { index } = leaf
  const where = { index, ...(record ? { record: record.id } : {}) }
  const found: Finding[] = []
  if (shown === 'sealed' || shown === 'erased') {
    if (isDue) found.push(finding('A14', `Leaf ${index} (${leaf.kind}) is answered as ${shown}`, where))
    return found
  }
  const entry = readEntryText(shown.text)
  if (!sameBytes(commitTo(sha256, shown.salt, shown.text), leaf.commitment))
    found.push(finding('A13', `Leaf ${index} does not hold ${shown.text}`, where))
  else if (!entry || kindOf(entry) !== leaf.kind)
    found.push(finding('A13', `Leaf ${index} (${leaf.kind}) holds ${shown.text}`, where))
  else if (position && leaf.kind === 'adjusted') found.push(...judgeStrike(leaf, entry, position, where))
  return found
}

/** The kind of the leaf that a text belongs to. */
export function kindOf({ kind }: EntryText): Leaf['kind'] {
  switch (kind) {
    case 'split':
    case 'settled':
    case 'corrected':
    case 'struck':
    case 'renamed':
      return 'adjusted'
    default:
      return kind
  }
}

function judgeStrike(
  { index, seq }: KeptLeaf,
  entry: EntryText,
  position: Position,
  where: { index: number; record?: string },
): Finding[] {
  const isCounted = position.struckSeq === seq
  if (entry.kind !== 'struck')
    return isCounted
      ? [finding('A10', `Leaf ${index} (${entry.kind}) leaves one position fewer open`, where)]
      : []
  if (isCounted) return []
  if (position.closedSeq === null || position.closedSeq > seq)
    return [finding('A10', `Leaf ${index} strikes an open position, which still counts`, where)]
  if (position.struckSeq !== null)
    return [finding('A9', `Leaf ${index} strikes a position that was struck before`, where)]
  position.struckSeq = seq
  return []
}
