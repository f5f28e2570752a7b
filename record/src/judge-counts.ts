import { type Check, type Finding, finding } from './findings.ts'
import { countsAt, type Histories, openingOf } from './histories.ts'
import type { ShownTrader } from './record-source.ts'

/** The site may count a leaf later than the log signs it by so much. */
const LATE_MS = 600_000

/**
 * Holds the site's account of a trader against the leaves (A15, A16).
 * @param signedAt of the checkpoint, which was asked for after the account; ms since 1970
 */
export function judgeCounts(
  username: string,
  shown: ShownTrader,
  histories: Histories,
  signedAt: number,
): Finding[] {
  const where = { record: shown.record }
  const history = histories.records.get(shown.record)
  if (!history)
    return shown.seq === 0 && shown.leaves.length === 0 && shown.open === 0 && shown.closed === 0
      ? []
      : [finding('A16', `The site shows ${shown.closed} closed of ${username}, the log has nothing`, where)]
  if (history.isErased) return []
  const next = history.leaves[shown.seq]
  const isLate = next !== undefined && histories.leaf(next).at < signedAt - LATE_MS
  const seq = isLate ? history.leaves.length : Math.min(shown.seq, history.leaves.length)
  const counts = countsAt(histories, history, seq)
  const found: Finding[] = []
  const differ = (check: Check, words: string, at: number, inLog: number) => {
    if (at !== inLog)
      found.push(finding(check, `The site counts ${at} ${words} of ${username}, the log ${inLog}`, where))
  }
  differ('A15', 'open', shown.open, counts.open)
  differ('A16', 'closed', shown.closed, counts.closed)
  return [...found, ...judgeLeaves(username, shown, histories, history.leaves.slice(0, seq))]
}

/** @param due the leaves that the page has to list */
function judgeLeaves(
  username: string,
  shown: ShownTrader,
  histories: Histories,
  due: readonly number[],
): Finding[] {
  const history = histories.records.get(shown.record)
  if (!history) return []
  const record = history.id
  const listed = new Set(shown.leaves)
  const own = new Set(history.leaves)
  const hidden = due.flatMap((index) => {
    if (listed.has(index)) return []
    const position = histories.position(history, openingOf(histories.leaf(index)))
    const check = position?.closedSeq === null ? 'A15' : 'A16'
    return [finding(check, `The site leaves out leaf ${index} of ${username}`, { index, record })]
  })
  const invented = shown.leaves.flatMap((index) =>
    own.has(index)
      ? []
      : [finding('A16', `The site lists leaf ${index}, which is not of ${username}`, { index, record })],
  )
  return [...hidden, ...invented]
}
