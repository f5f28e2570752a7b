type Facts = { closed?: number | undefined; wins?: number | null | undefined }

/** A trader's record in short, `25 closed · 64 % wins`; the share is left out where it would mean nothing (ADR 0052). */
export function recordFacts({ closed, wins }: Facts): string | null {
  if (closed === undefined || wins === undefined) return null
  return `${closed} closed · ${wins === null ? 'few positions' : `${winPercent(wins, closed)} % wins`}`
}

/** Rounded, but never to none or all of them where that is not true. */
function winPercent(wins: number, closed: number): number {
  if (wins === 0 || wins === closed) return wins === 0 ? 0 : 100
  return Math.min(Math.max(Math.round((100 * wins) / closed), 1), 99)
}
