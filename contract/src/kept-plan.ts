/** The consequences of a declared hold; apart from `hold-length.ts`, which the first page loads. */
import { HOLD_MAX_DAYS, type HoldLength } from './hold-length.ts'
import { DAY_MS } from './trading-day.ts'

/** The middle of the time that each hold length declares, in trading days (ADR 0052 and 0053). */
export const HOLD_SESSIONS: Readonly<Record<HoldLength, number>> = {
  less_than_one_week: 4,
  one_to_three_weeks: 10,
  one_to_three_months: 40,
  three_to_six_months: 90,
  more_than_six_months: 180,
}

/** A trader's declaration at an opening. */
export type Declared = { openedAt: Date; holdLength: HoldLength }

/**
 * When a position is past its plan, and public if it is still open: a day after the most that its hold length declares, in days of 24
 * hours (rule G-16). The only clock of a plan; the stored instant of a position differs from it for openings of before the rule alone.
 */
export function publicAt({ openedAt, holdLength }: Declared): Date {
  return new Date(openedAt.getTime() + (HOLD_MAX_DAYS[holdLength] + 1) * DAY_MS)
}

/** A trader is mailed so long before a position of theirs becomes public (ADR 0086). */
const MAILED_BEFORE_MS = 2 * DAY_MS

/** The instants that an opening stores: when the position becomes public while it is open, and when its trader is mailed of that. */
export function publicTimes(position: Declared): { publicAt: Date; mailDue: Date } {
  const at = publicAt(position)
  return { publicAt: at, mailDue: new Date(at.getTime() - MAILED_BEFORE_MS) }
}

/** Whether a position that ended at an instant did so too late to have kept its plan (ADR 0086). */
export function isPastPlan(position: Declared, endedAt: Date): boolean {
  return endedAt >= publicAt(position)
}
