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
 * have at most 92 days, six 184), so that nobody is past a plan that they may still keep. "6+ months" ends after a year (ADR 0086).
 */
export const HOLD_MAX_DAYS: Readonly<Record<HoldLength, number>> = {
  less_than_one_week: 7,
  one_to_three_weeks: 21,
  one_to_three_months: 92,
  three_to_six_months: 184,
  more_than_six_months: 365,
}
