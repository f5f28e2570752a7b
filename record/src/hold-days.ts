const DAY_MS = 86_400_000

/**
 * Days of 24 hours after which an open position is public, by the `hold` of its leaf from 1. contract/src/kept-plan.ts has the rule, which
 * nothing here imports; scripts/hold-days.test.ts holds both together.
 */
export const PUBLIC_AFTER_DAYS: readonly number[] = [8, 22, 93, 185, 366]

/** @returns when an opening's text is public while the position is open; ms since 1970 */
export function publicFrom({ at, hold }: { at: number; hold: number }): number {
  return at + (PUBLIC_AFTER_DAYS[hold - 1] ?? Number.POSITIVE_INFINITY) * DAY_MS
}
