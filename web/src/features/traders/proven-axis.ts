import type { ProvenEntry } from '@tradepost/contract/leaderboard'

/** One axis for all bars, in percent. */
export type ProvenAxis = { from: number; to: number }

/** Bars whose right end is beyond those of so many of all are cut off, so that one of them does not squeeze the others. */
const SHOWN_WHOLE = 0.9

/** Holds zero, every left end and every middle, and the right ends of nine in ten. */
export function axisOf(entries: readonly ProvenEntry[]): ProvenAxis {
  const highs = entries.map(({ high }) => Number(high)).toSorted((one, other) => one - other)
  const usual = highs[Math.ceil(highs.length * SHOWN_WHOLE) - 1] ?? 0
  return {
    from: Math.min(0, ...entries.map(({ low }) => Number(low))),
    to: Math.max(0, usual, ...entries.map(({ middle }) => Number(middle))),
  }
}

/** Where a value lies on the axis, from 0 to 100; what is beyond an end lies on it. */
export function placeOn({ from, to }: ProvenAxis, value: number): number {
  if (to === from) return 0
  return Math.min(100, Math.max(0, (100 * (value - from)) / (to - from)))
}
