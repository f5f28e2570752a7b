import type { MarketOverride } from './market-hours.ts'

export const DAY_MS = 86_400_000

/**
 * Whether `date` lies on a later UTC calendar day than `today` (docs/specification.md section 4: "strictly later than today, at
 * day granularity"). A position is closable when now is later than the day it was opened (rule G-19).
 */
export function isLaterDay(date: Date, today: Date, override: MarketOverride): boolean {
  if (override === 'open') return true
  return Math.floor(date.getTime() / DAY_MS) > Math.floor(today.getTime() / DAY_MS)
}

/** The beginning of the UTC day after that of an instant: when a position that was opened on it may be closed (rule G-19). */
export function nextDayOf(date: Date): Date {
  return new Date((Math.floor(date.getTime() / DAY_MS) + 1) * DAY_MS)
}

/** Whole days of 24 hours from one instant to a later one. */
export function wholeDaysBetween(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / DAY_MS)
}

/** A Monday, as whole days since 1970. */
const FIRST_MONDAY = 4

/** Days from Monday to Friday, in UTC, after the day of `from` up to that of `to`; holidays count (rule G-48). */
export function tradingDaysBetween(from: Date, to: Date): number {
  return weekdaysUntil(to) - weekdaysUntil(from)
}

/** From a fixed Monday up to the day of an instant. */
function weekdaysUntil(at: Date): number {
  const days = Math.floor(at.getTime() / DAY_MS) - FIRST_MONDAY
  const weeks = Math.floor(days / 7)
  return weeks * 5 + Math.min(days - weeks * 7 + 1, 5)
}
