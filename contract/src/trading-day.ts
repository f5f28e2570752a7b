import type { MarketOverride } from './market-hours.ts'

const DAY_MS = 86_400_000

/**
 * Whether `date` lies on a later UTC calendar day than `today` (docs/specification.md section 4: "strictly later than today, at
 * day granularity"). A position is closable when now is later than the day it was opened (decision G-19).
 */
export function isLaterDay(date: Date, today: Date, override: MarketOverride): boolean {
  if (override === 'open') return true
  return Math.floor(date.getTime() / DAY_MS) > Math.floor(today.getTime() / DAY_MS)
}
