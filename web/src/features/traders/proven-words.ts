import type { ProvenEntry } from '@tradepost/contract/leaderboard'

/** Where a bar lies beside the index; `provisional`: it says more about all traders than about this one, so it has no rank. */
export type ProvenClass = 'above' | 'apart' | 'below' | 'provisional'

/** In the order of the list: the heading of each class, and what its bars have in common. */
export const CLASS_WORDS: Readonly<Record<ProvenClass, { heading: string; reason: string }>> = {
  above: { heading: 'Clearly better than the index', reason: 'The whole bar is above zero.' },
  apart: { heading: 'Not apart from the index', reason: 'The bar crosses zero: it may have been luck.' },
  below: { heading: 'Clearly worse than the index', reason: 'The whole bar is below zero.' },
  provisional: {
    heading: 'Not ranked yet',
    reason: 'Too few sessions to tell. These figures lean on what all traders have done.',
  },
}

export function classOf({ high, low, provisional }: ProvenEntry): ProvenClass {
  if (provisional) return 'provisional'
  if (Number(low) > 0) return 'above'
  return Number(high) < 0 ? 'below' : 'apart'
}

/** The classes that have anybody, each with its traders in the order of the list. */
export function groupByClass(
  entries: readonly ProvenEntry[],
): { name: ProvenClass; entries: readonly ProvenEntry[] }[] {
  return (Object.keys(CLASS_WORDS) as ProvenClass[])
    .map((name) => ({ name, entries: entries.filter((entry) => classOf(entry) === name) }))
    .filter((group) => group.entries.length > 0)
}

/** Percent with its sign and one decimal, as an estimate deserves, rounded half away from zero: `+2.0`, `-0.4`, `0.0`. */
export function estimate(percent: string): string {
  const hundredths = Math.round(Math.abs(Number(percent)) * 100)
  const shown = (Math.round(hundredths / 10) / 10).toFixed(1)
  if (shown === '0.0') return shown
  return Number(percent) < 0 ? `-${shown}` : `+${shown}`
}
