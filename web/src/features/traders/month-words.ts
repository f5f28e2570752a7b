/** The months of a record in words. */
import type { TrackMonth } from '@tradepost/contract/track-record'
import { localFormat } from '../../lib/format.ts'
import { pointsText, signedPercent, signedPoints } from './record-text.ts'

const shortFormat = localFormat({ month: 'short', timeZone: 'UTC' })
const longFormat = localFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `2026-11` as "Nov". */
export function shortMonth(month: string): string {
  return shortFormat(new Date(`${month}-01`))
}

/** `2026-11` as "November 2026". */
export function longMonth(month: string): string {
  return longFormat(new Date(`${month}-01`))
}

/** By how many points a month was better than the index, negative where it was worse; null without a position. */
export function pointsOf({ level, index }: TrackMonth): number | null {
  // Both have two decimals, of which whole hundredths are exact.
  return level === null ? null : (Math.round(level * 100) - Math.round(index * 100)) / 100
}

/**
 * `November 2026 so far: +3.20%, SPY -1.10%, 4.3 points better`.
 * @param isLast whether the month is not over
 */
export function monthText(month: TrackMonth, indexSymbol: string, isLast: boolean): string {
  const points = pointsOf(month)
  const name = `${longMonth(month.month)}${isLast ? ' so far' : ''}`
  if (points === null || month.level === null) return `${name}: no position`
  return `${name}: ${signedPercent(month.level)}, ${indexSymbol} ${signedPercent(month.index)}, ${pointsText(points)}`
}

/** The name of a month's button, which begins with what is seen of it: `Nov +4.3 points, 2026 so far: +3.20%, SPY -1.10%`. */
export function monthLabel(month: TrackMonth, indexSymbol: string, isLast: boolean): string {
  const points = pointsOf(month)
  if (points === null || month.level === null) return monthText(month, indexSymbol, isLast)
  const when = `${month.month.slice(0, 4)}${isLast ? ' so far' : ''}`
  return `${shortMonth(month.month)} ${signedPoints(points)} points, ${when}: ${signedPercent(month.level)}, ${indexSymbol} ${signedPercent(month.index)}`
}

/** `key` of a place is its month, as `2026-11`. */
export type YearOfMonths = { year: string; places: { key: string; month: TrackMonth | null }[] }

/** The years of a record, newest first, each with twelve places; null where it has no month. */
export function yearsOf(months: readonly TrackMonth[]): YearOfMonths[] {
  const byMonth = new Map(months.map((month) => [month.month, month]))
  const years = [...new Set(months.map(({ month }) => month.slice(0, 4)))].sort().reverse()
  return years.map((year) => ({
    year,
    places: Array.from({ length: 12 }, (_, nth) => {
      const key = `${year}-${String(nth + 1).padStart(2, '0')}`
      return { key, month: byMonth.get(key) ?? null }
    }),
  }))
}
