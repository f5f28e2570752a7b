const MINUTE_MS = 60_000
const MINUTES_AN_HOUR = 60
const MINUTES_A_DAY = 24 * MINUTES_AN_HOUR

export type ElapsedUnit = 'minute' | 'hour' | 'day'
/** A time that has passed, in its largest whole unit: at least one of it. */
export type Elapsed = { amount: number; unit: ElapsedUnit }

/**
 * The time between two instants in whole minutes under an hour, whole hours under a day, else whole days of 24 hours.
 * @returns null for less than a minute, and when `to` comes before `from`
 */
export function elapsedBetween(from: Date, to: Date): Elapsed | null {
  const minutes = Math.floor((to.getTime() - from.getTime()) / MINUTE_MS)
  if (minutes < 1) return null
  if (minutes < MINUTES_AN_HOUR) return { amount: minutes, unit: 'minute' }
  if (minutes < MINUTES_A_DAY) return { amount: Math.floor(minutes / MINUTES_AN_HOUR), unit: 'hour' }
  return { amount: Math.floor(minutes / MINUTES_A_DAY), unit: 'day' }
}

/** An elapsed time in words: `2 days`, `1 hour`. */
export function elapsedWords({ amount, unit }: Elapsed): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}
