import { SIGN_IN_FRESH_MINUTES } from '@tradepost/contract/limits'

const DAY_MS = 86_400_000
const FRESH_MS = SIGN_IN_FRESH_MINUTES * 60_000
const SESSION_IDLE_MS = 30 * DAY_MS
const SESSION_AGE_MS = 90 * DAY_MS

/**
 * A session lives for 90 days, and ends earlier after 30 days without a refresh.
 * @returns a session is alive at `now` when it was refreshed after the one instant and created after the other (UTC)
 */
export function sessionBounds(now: Date): { refreshedAfter: Date; createdAfter: Date } {
  return {
    refreshedAfter: new Date(now.getTime() - SESSION_IDLE_MS),
    createdAfter: new Date(now.getTime() - SESSION_AGE_MS),
  }
}

/** Whether a session has reached one of the limits of `sessionBounds`. */
export function hasExpired(session: { refreshed_at: Date; created_at: Date }, now: Date): boolean {
  const { refreshedAfter, createdAfter } = sessionBounds(now)
  return session.refreshed_at <= refreshedAfter || session.created_at <= createdAfter
}

/**
 * Whether the person has proved within the last five minutes that they read the mailbox, by the sign-in or by a code that
 * was mailed since. Only then may the second factor be changed without another mailed code (ADR 0031).
 */
export function isFresh(session: { created_at: Date; reauthenticated_at: Date | null }, now: Date): boolean {
  const proved = Math.max(session.created_at.getTime(), session.reauthenticated_at?.getTime() ?? 0)
  return now.getTime() - proved <= FRESH_MS
}

/**
 * When a session was last used, to about five minutes: a refresh stores its instant, and a request stores its own when the
 * stored one is five minutes old (ADR 0030).
 */
export function lastSeen(session: { refreshed_at: Date; seen_at: Date | null }): Date {
  const { refreshed_at, seen_at } = session
  return seen_at !== null && seen_at > refreshed_at ? seen_at : refreshed_at
}
