export const DAY_MS = 86_400_000

/** Days from the first payment after a trial that fails to the end of the subscription (rule G-123). */
const AFTER_TRIAL_DAYS = 3
/** Any interval is at least as long: what is owed before is the first payment after the trial. */
const SHORTEST_INTERVAL_DAYS = 28

/**
 * Days from the oldest owed payment to the end of the subscription (rule G-33). Nobody has paid anything before the first payment after a
 * trial, so it gets three at most.
 * @param pastDueDays of the settings
 */
export function graceDays(pastDueDays: number, isFirstAfterTrial: boolean): number {
  return isFirstAfterTrial ? Math.min(AFTER_TRIAL_DAYS, pastDueDays) : pastDueDays
}

/** Whether a payment that has been owed since an instant is the first one after a trial. */
export function isFirstAfterTrial(trialEnd: Date | null, owedSince: Date): boolean {
  if (trialEnd === null) return false
  return owedSince.getTime() < trialEnd.getTime() + SHORTEST_INTERVAL_DAYS * DAY_MS
}
