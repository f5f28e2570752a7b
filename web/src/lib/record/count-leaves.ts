import { HOLD_LENGTHS } from '@tradepost/contract/hold-length'
import { publicAt } from '@tradepost/contract/kept-plan'
import type { Leaf } from '@tradepost/record/leaf'

/** A trader's positions as the leaves show them; `open` from the oldest. */
export type LeafCounts = { open: { openedAt: Date; isPastHold: boolean }[]; closed: number }

/**
 * Counts a trader's positions by the leaves alone, of which each states how many are open after it.
 * @param leaves all of the trader's, in their order
 * @returns null where they contradict each other
 */
export function countLeaves(leaves: readonly Leaf[], now: Date): LeafCounts | null {
  const open = new Map<number, Leaf>()
  let closed = 0
  for (const leaf of leaves) {
    if (leaf.kind === 'opened') open.set(leaf.seq, leaf)
    else if (leaf.kind === 'erased') open.clear()
    else if (leaf.kind === 'closed') {
      if (!open.delete(leaf.seqOfOpening)) return null
      closed += 1
      // A position that was struck is open no more; the leaf hides what was done, and its count does not.
    } else if (leaf.kind === 'adjusted' && leaf.open < open.size) open.delete(leaf.seqOfOpening)
    if (open.size !== leaf.open) return null
  }
  const shown = [...open.values()].map(({ at, hold }) => {
    const openedAt = new Date(at)
    const holdLength = HOLD_LENGTHS[hold - 1]
    return { openedAt, isPastHold: holdLength !== undefined && publicAt({ openedAt, holdLength }) <= now }
  })
  return { open: shown, closed }
}

const DAY_MS = 86_400_000

/** As `4 open now, ages 4, 19, 80, 131 days; 1 past its declared hold. 37 closed.` */
export function sayCounts({ closed, open }: LeafCounts, now: Date): string {
  const ages = open
    .map(({ openedAt }) => Math.max(0, Math.floor((now.getTime() - openedAt.getTime()) / DAY_MS)))
    .sort((a, b) => a - b)
  const late = open.filter(({ isPastHold }) => isPastHold).length
  const past = late > 0 ? `; ${late} past ${late === 1 ? 'its' : 'their'} declared hold` : ''
  const [word, unit] = ages.length === 1 ? ['age', ages[0] === 1 ? 'day' : 'days'] : ['ages', 'days']
  const said =
    ages.length === 0 ? 'None open now' : `${ages.length} open now, ${word} ${ages.join(', ')} ${unit}${past}`
  return `${said}. ${closed} closed.`
}
