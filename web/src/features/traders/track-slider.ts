/** How a pointer and keys move along the sessions of a curve. */
import type { TrackRecord } from '@tradepost/contract/track-record'
import { instantOf } from './track-drawing.tsx'

/** @returns the place of the session that is nearest to an instant */
export function nearestDay({ days }: TrackRecord, at: Date): number {
  let [low, high] = [0, days.length - 1]
  const timeOf = (nth: number) => instantOf(days[nth]?.day ?? '').getTime()
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (timeOf(middle) <= at.getTime()) low = middle
    else high = middle
  }
  return at.getTime() - timeOf(low) < timeOf(high) - at.getTime() ? low : high
}

/**
 * Where a key leads.
 * @param nth the session chosen, null for none @param slider.stops places of sessions with closes, in order
 * @returns undefined for a key that is none of the slider's, null to choose none
 */
export function nextDay(
  key: string,
  nth: number | null,
  { lastNth, stops }: { lastNth: number; stops: readonly number[] },
): number | null | undefined {
  const from = nth ?? lastNth + 1
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, from - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(lastNth, from + 1)
    case 'PageDown':
      return stops.findLast((stop) => stop < from) ?? nth
    case 'PageUp':
      return stops.find((stop) => stop > from) ?? nth
    case 'Home':
      return 0
    case 'End':
      return lastNth
    case 'Escape':
      return null
    default:
      return undefined
  }
}
