/**
 * `open` forces the market open and every day later than today (docs/specification.md section 4), `hours` the market open alone
 * (rule G-10); null forces nothing.
 */
export type MarketOverride = 'open' | 'hours' | null

const OPENS_AT_UTC_MINUTE = 14 * 60 + 30
const CLOSES_AT_UTC_MINUTE = 21 * 60
const MINUTE_MS = 60_000

/**
 * Whether a position may be opened now: Monday to Friday, 14:30 up to but not including 21:00 UTC, all year round
 * (docs/specification.md section 4; no holidays and no daylight saving, rule G-48).
 * @param now the instant that decides
 */
export function isMarketOpen(now: Date, override: MarketOverride): boolean {
  return override !== null || isWithin(now, OPENS_AT_UTC_MINUTE)
}

function isWithin(now: Date, opensAt: number): boolean {
  const weekday = now.getUTCDay()
  if (weekday === 0 || weekday === 6) return false
  const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
  return minute >= opensAt && minute < CLOSES_AT_UTC_MINUTE
}

/** New York opens an hour earlier by UTC in summer; its last trades are never later than the window of docs/specification.md. */
const EXCHANGE_OPENS_AT_UTC_MINUTE = 13 * 60 + 30

/**
 * Whether the exchange may be trading now, at either time of the year; with an override, at any time. Where it is not, nobody asks it for
 * the first trade after a close (ADR 0076).
 */
export function mayTrade(now: Date, override: MarketOverride): boolean {
  return override !== null || isWithin(now, EXCHANGE_OPENS_AT_UTC_MINUTE)
}

/** The next instant, strictly after `now`, at which `isMarketOpen` without override changes; a screen waits for it. */
export function nextMarketChange(now: Date): Date {
  const open = isMarketOpen(now, null)
  const at = new Date(now)
  at.setUTCHours(0, open ? CLOSES_AT_UTC_MINUTE : OPENS_AT_UTC_MINUTE, 0, 0)
  // At that time of day, day after day until a change falls on it: a weekend has none.
  while (
    at <= now ||
    isMarketOpen(new Date(at.getTime() - 1), null) !== open ||
    isMarketOpen(at, null) === open
  ) {
    at.setTime(at.getTime() + 24 * 60 * MINUTE_MS)
  }
  return at
}

/** The end of the last session that is over, at 21:00 UTC from Monday to Friday (rule G-48). @returns `now` at the latest */
export function lastSessionClose(now: Date): Date {
  const at = new Date(now)
  at.setUTCHours(0, CLOSES_AT_UTC_MINUTE, 0, 0)
  while (at > now || at.getUTCDay() === 0 || at.getUTCDay() === 6)
    at.setTime(at.getTime() - 24 * 60 * MINUTE_MS)
  return at
}
