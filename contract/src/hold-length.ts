import { DAY_MS, tradingDaysBetween, wholeDaysBetween } from './trading-day.ts'

/** The five hold lengths in the order of the select, value to label (docs/specification.md section 3). */
export const HOLD_LENGTH_LABELS = {
  less_than_one_week: 'Less than a week',
  one_to_three_weeks: '1-3 weeks',
  one_to_three_months: '1-3 months',
  three_to_six_months: '3-6 months',
  more_than_six_months: '6+ months',
} as const

export type HoldLength = keyof typeof HOLD_LENGTH_LABELS

export const HOLD_LENGTHS = Object.keys(HOLD_LENGTH_LABELS) as [HoldLength, ...HoldLength[]]

export function isHoldLength(text: string): text is HoldLength {
  return Object.hasOwn(HOLD_LENGTH_LABELS, text)
}

/**
 * The most that each hold length declares, in days of 24 hours. A month counts as the longest that it can be (three in a row
 * have at most 92 days, six 184), so that nobody is past a plan that they may still keep. "6+ months" has no end.
 */
const HOLD_MAX_DAYS: Record<HoldLength, number> = {
  less_than_one_week: 7,
  one_to_three_weeks: 21,
  one_to_three_months: 92,
  three_to_six_months: 184,
  more_than_six_months: Number.POSITIVE_INFINITY,
}

/** Sessions of the market for which a position of each hold length is expected to be held: what a score is said for (decision 0053). */
export const HOLD_SESSIONS: Readonly<Record<HoldLength, number>> = {
  less_than_one_week: 4,
  one_to_three_weeks: 10,
  one_to_three_months: 40,
  three_to_six_months: 90,
  more_than_six_months: 180,
}

/**
 * For how many whole days an active position has been open past the hold that was declared for it (decision 0037).
 * @returns 0 while the plan is kept, and through the first day after it
 */
export function daysOverPlan(position: { openedAt: Date; holdLength: HoldLength }, now: Date): number {
  return Math.max(0, wholeDaysBetween(position.openedAt, now) - HOLD_MAX_DAYS[position.holdLength])
}

/**
 * The most trading days in which each plan counts as kept for statistics (decision 0052): what was declared and a fifth more, whole
 * days. "6+ months" has no end.
 */
function planMaxTradingDays(length: HoldLength): number {
  return length === 'more_than_six_months'
    ? Number.POSITIVE_INFINITY
    : Math.floor((HOLD_SESSIONS[length] * 6) / 5)
}

/**
 * Whether a position that ends at an instant, or is still open then, is within its plan; for statistics, while the words on a
 * position that is open count by the calendar (`daysOverPlan`).
 */
export function keepsPlan(position: { openedAt: Date; holdLength: HoldLength }, at: Date): boolean {
  return tradingDaysBetween(position.openedAt, at) <= planMaxTradingDays(position.holdLength)
}

/**
 * By hold length, the instant at or before which a position must have been opened to be at least a day past its plan
 * (`daysOverPlan`); a length without an end has none.
 */
export function overPlanBefore(now: Date): Partial<Record<HoldLength, Date>> {
  const bounded = HOLD_LENGTHS.filter((length) => Number.isFinite(HOLD_MAX_DAYS[length]))
  return Object.fromEntries(
    bounded.map((length) => [length, new Date(now.getTime() - (HOLD_MAX_DAYS[length] + 1) * DAY_MS)]),
  )
}
