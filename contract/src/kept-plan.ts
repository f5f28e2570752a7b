/** What the server computes from declared holds; apart from `hold-length.ts`, which the first page loads. */
import { HOLD_LENGTHS, HOLD_MAX_DAYS, type HoldLength } from './hold-length.ts'
import { DAY_MS, tradingDaysBetween } from './trading-day.ts'

/** The middle of what each hold length declares, in trading days (decisions 0052 and 0053). */
export const HOLD_SESSIONS: Readonly<Record<HoldLength, number>> = {
  less_than_one_week: 4,
  one_to_three_weeks: 10,
  one_to_three_months: 40,
  three_to_six_months: 90,
  more_than_six_months: 180,
}

/** The most trading days in which a plan counts as kept: what was declared and a fifth more, whole days. "6+ months" has no end. */
function planMaxSessions(length: HoldLength): number {
  if (length === 'more_than_six_months') return Number.POSITIVE_INFINITY
  return Math.floor((HOLD_SESSIONS[length] * 6) / 5)
}

/**
 * Whether a position that ends at an instant, or is still open then, is within its plan; for statistics, while the words on a
 * position that is open count by the calendar (`daysOverPlan`).
 */
export function keepsPlan(position: { openedAt: Date; holdLength: HoldLength }, at: Date): boolean {
  return tradingDaysBetween(position.openedAt, at) <= planMaxSessions(position.holdLength)
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

/** A plan without an end counts for everybody once its six months are over by a day, in days of 24 hours. */
const UNBOUNDED_SHOWN_DAYS = 185

/**
 * By hold length, the instant at or before which a position was opened that counts in what everybody sees of a trader though it is
 * still open: it is past its plan (`overPlanBefore`), or half a year old where the plan has no end (decision 0054).
 */
export function shownBefore(now: Date): Record<HoldLength, Date> {
  const unbounded = new Date(now.getTime() - UNBOUNDED_SHOWN_DAYS * DAY_MS)
  return {
    ...(Object.fromEntries(HOLD_LENGTHS.map((length) => [length, unbounded])) as Record<HoldLength, Date>),
    ...overPlanBefore(now),
  }
}
