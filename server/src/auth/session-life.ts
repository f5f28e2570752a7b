import { SIGN_IN_FRESH_MINUTES } from '@tradepost/contract/limits'

const DAY_MS = 86_400_000
const FRESH_MS = SIGN_IN_FRESH_MINUTES * 60_000
const SESSION_IDLE_MS = 30 * DAY_MS
const SESSION_AGE_MS = 90 * DAY_MS

/** The instants a session must have been refreshed and made after, to be alive at `now`. */
export function sessionBounds(now: Date): { refreshedAfter: Date; createdAfter: Date } {
  return {
    refreshedAfter: new Date(now.getTime() - SESSION_IDLE_MS),
    createdAfter: new Date(now.getTime() - SESSION_AGE_MS),
  }
}

/** Whether 30 days without a refresh, or 90 days in all, have ended the session. */
export function hasExpired(session: { refreshed_at: Date; created_at: Date }, now: Date): boolean {
  const { refreshedAfter, createdAfter } = sessionBounds(now)
  return session.refreshed_at <= refreshedAfter || session.created_at <= createdAfter
}

/**
 * Whether the mailbox was proved within five minutes, at sign-in or since: only then the second step of signing in may be
 * changed without a mailed code (decision 0031).
 */
export function isFresh(session: { created_at: Date; reauthenticated_at: Date | null }, now: Date): boolean {
  const proved = Math.max(session.created_at.getTime(), session.reauthenticated_at?.getTime() ?? 0)
  return now.getTime() - proved <= FRESH_MS
}

/** When a session was last used: noted every five minutes while it is, and at every refresh. */
export function lastSeen(session: { refreshed_at: Date; seen_at: Date | null }): Date {
  const { refreshed_at, seen_at } = session
  return seen_at !== null && seen_at > refreshed_at ? seen_at : refreshed_at
}
