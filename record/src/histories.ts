import { sameBytes, toHex } from './bytes.ts'
import { type Finding, finding } from './findings.ts'
import { type KeptLeaf, keptLeaves, type Position } from './kept-leaves.ts'
import { LEAF_FLAGS, type Leaf, NO_HASH } from './leaf.ts'

/** A leaf may lag behind those before it by so much: clocks disagree, and transactions overtake each other. */
const LAG_MS = 60_000

/** @returns the number of the opening that a leaf is about, its own for an opening */
export const openingOf = ({
  kind,
  seq,
  seqOfOpening,
}: Pick<Leaf, 'kind' | 'seq' | 'seqOfOpening'>): number => (kind === 'opened' ? seq : seqOfOpening)

/** One record: all that its leaves show without their texts. */
export type RecordHistory = {
  id: string
  /** The places of its leaves in the log, in their order. */
  leaves: number[]
  open: number
  hash: Uint8Array
  isErased: boolean
}

/** Follows the leaves of a log in their order, and finds those that contradict the ones before (A7 to A11). */
export type Histories = {
  add(index: number, leaf: Leaf, hash: Uint8Array): Finding[]
  records: ReadonlyMap<string, RecordHistory>
  leaf(index: number): KeptLeaf
  /** The position that a leaf of a record opened. @returns null where none has this number */
  position(record: RecordHistory, seq: number): Position | null
}

export function followHistories(): Histories {
  const kept = keptLeaves()
  const records = new Map<string, RecordHistory>()
  let newest = 0
  let hasBegun = false

  function judgeTime(index: number, leaf: Leaf): Finding[] {
    if ((leaf.flags & LEAF_FLAGS.imported) !== 0)
      return hasBegun
        ? [finding('A11', `Leaf ${index} says that it is from before the log began`, { index })]
        : []
    hasBegun = true
    const lag = newest - leaf.at
    newest = Math.max(newest, leaf.at)
    return lag > LAG_MS
      ? [finding('A11', `Leaf ${index} is ${Math.round(lag / 1000)} s older than one before it`, { index })]
      : []
  }

  function add(index: number, leaf: Leaf, hash: Uint8Array): Finding[] {
    const found = judgeTime(index, leaf)
    if (leaf.seq === 0) {
      kept.put(index, leaf)
      return found
    }
    const id = toHex(leaf.record)
    const history = records.get(id) ?? emptyHistory(id)
    records.set(id, history)
    const where = { index, record: id }
    if (history.isErased) found.push(finding('A7', `Leaf ${index} comes after its record was erased`, where))
    const expected = history.leaves.length + 1
    if (leaf.seq !== expected)
      found.push(finding('A7', `Leaf ${index} has the number ${leaf.seq} in place of ${expected}`, where))
    if (!sameBytes(leaf.previous, history.hash))
      found.push(finding('A8', `Leaf ${index} names another leaf before it`, where))
    kept.put(index, leaf)
    history.leaves.push(index)
    found.push(...judgeEvent(history, index, leaf, position))
    history.hash = hash
    return found
  }

  function position(record: RecordHistory, seq: number): Position | null {
    const isIt = (index: number | undefined) =>
      index !== undefined && kept.get(index).seq === seq && kept.get(index).kind === 'opened'
    // In an honest record the number is the place.
    const index = isIt(record.leaves[seq - 1]) ? record.leaves[seq - 1] : record.leaves.find(isIt)
    return index === undefined ? null : kept.position(index)
  }

  return { add, records, leaf: kept.get, position }
}

function emptyHistory(id: string): RecordHistory {
  return { id, leaves: [], open: 0, hash: NO_HASH, isErased: false }
}

function judgeEvent(
  history: RecordHistory,
  index: number,
  leaf: Leaf,
  position: Histories['position'],
): Finding[] {
  const where = { index, record: history.id }
  const expected = openAfter(history, leaf, position)
  const found: Finding[] = []
  if (expected === null) found.push(finding('A9', `Leaf ${index} names leaf ${leaf.seqOfOpening}`, where))
  else if (expected !== leaf.open)
    found.push(finding('A10', `Leaf ${index} counts ${leaf.open} open in place of ${expected}`, where))
  history.open = leaf.open
  return found
}

/** Does the leaf's act. @returns how many positions are open after it, or null where there is no such position to end or change */
function openAfter(history: RecordHistory, leaf: Leaf, positionOf: Histories['position']): number | null {
  if (leaf.kind === 'opened') return history.open + 1
  if (leaf.kind === 'erased') {
    history.isErased = true
    return 0
  }
  const position = positionOf(history, leaf.seqOfOpening)
  if (!position || position.struckSeq !== null) return null
  const isOpen = position.closedSeq === null
  if (leaf.kind === 'closed') {
    position.closedSeq ??= leaf.seq
    return isOpen ? history.open - 1 : null
  }
  // A change of an open position that leaves one fewer open strikes it; its text is sealed as long as the position's is.
  if (!isOpen || leaf.open !== history.open - 1) return history.open
  position.struckSeq = leaf.seq
  return leaf.open
}

/** How many positions of a record were open and closed after a leaf; struck ones count as neither. */
export function countsAt(
  histories: Pick<Histories, 'leaf' | 'position'>,
  record: RecordHistory,
  seq: number,
): { open: number; closed: number } {
  const counts = { open: 0, closed: 0 }
  const isAt = (done: number | null) => done !== null && done <= seq
  for (const index of record.leaves) {
    const leaf = histories.leaf(index)
    const position = leaf.kind === 'opened' && leaf.seq <= seq ? histories.position(record, leaf.seq) : null
    if (position && !isAt(position.struckSeq)) counts[isAt(position.closedSeq) ? 'closed' : 'open'] += 1
  }
  return counts
}
