import type { ProvenEntry } from '@tradepost/contract/leaderboard'

/** One axis for all bars, in percent. */
export type ProvenAxis = { from: number; to: number }

/**
 * Holds zero, every middle, and both ends of all bars that are not provisional: those are wide and would squeeze the others. Where
 * all are provisional, it holds them.
 */
export function axisOf(entries: readonly ProvenEntry[]): ProvenAxis {
  const sure = entries.filter(({ provisional }) => !provisional)
  const whole = sure.length > 0 ? sure : entries
  const values = [...whole.flatMap(({ low, high }) => [low, high]), ...entries.map(({ middle }) => middle)]
  const numbers = [0, ...values.map(Number)]
  return { from: Math.min(...numbers), to: Math.max(...numbers) }
}

/** Where a value lies on the axis: 0 is its left end, 100 its right one; what is beyond them lies below or above. */
export function placeOn({ from, to }: ProvenAxis, value: number): number {
  return to === from ? 0 : (100 * (value - from)) / (to - from)
}
