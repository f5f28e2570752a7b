const utcFormat = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** An instant for people anywhere: `Nov 18, 2026, 15:04:05 UTC`. @param at ISO 8601 */
export function formatUtc(at: string): string {
  return utcFormat.format(new Date(at))
}

const DAY = { month: 'short', day: 'numeric' } as const
const utcDay = new Intl.DateTimeFormat('en-US', { ...DAY, timeZone: 'UTC' })
/** The day of an instant in UTC: `Dec 3`. @param at ISO 8601 */
export function formatUtcDay(at: string): string {
  return utcDay.format(new Date(at))
}

const utcDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
/** The same with its year, of a day that may be far: `Dec 3, 2026`. @param at ISO 8601 */
export function formatUtcDate(at: string): string {
  return utcDate.format(new Date(at))
}

const NEW_YORK = 'America/New_York'
const newYorkDay = new Intl.DateTimeFormat('en-US', { ...DAY, timeZone: NEW_YORK })
const newYorkTime = new Intl.DateTimeFormat('en-US', {
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: NEW_YORK,
})

/**
 * When something happened on the market, also by the market's own clock: `Nov 18, 2026, 15:04:05 UTC (10:04 New York)`. The
 * day in New York is named where it is another one. @param at ISO 8601
 */
export function formatMarketTime(at: string): string {
  const instant = new Date(at)
  const day = newYorkDay.format(instant)
  const there = day === utcDay.format(instant) ? '' : `${day}, `
  return `${formatUtc(at)} (${there}${newYorkTime.format(instant)} New York)`
}
