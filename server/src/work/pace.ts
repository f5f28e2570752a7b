import type { Clock } from '../platform/clock.ts'

/** While something waits or is about to, lost notifications and times that have come are found so late at most. */
const BRISK_MS = 2000
/** Else; a database session that has gone silent is noticed by it too. */
export const QUIET_MS = 5000
/** A clock that goes so much faster or slower than time passes has been set. */
const SET_MS = 500

/** How often a process asks the database for what nobody announced: rarely while there is nothing to do. */
export type Pace = {
  /** Something happens, or will soon: the next look is a brisk one. */
  quicken(): void
  /** Whether to look now, to be asked every second. Where it is, that look counts as taken. */
  isTime(): boolean
}

/** @param clock by which things become due; when it is set, a look is due */
export function makePace(clock: Clock): Pace {
  const read = () => ({ passed: performance.now(), time: clock.now().getTime() })
  let lookedAt = read().passed
  let before = read()
  let brisk = true
  return {
    quicken() {
      brisk = true
    },
    isTime() {
      const now = read()
      const isSet = Math.abs(now.time - before.time - (now.passed - before.passed)) > SET_MS
      before = now
      if (!isSet && now.passed - lookedAt < (brisk ? BRISK_MS : QUIET_MS)) return false
      lookedAt = now.passed
      brisk = false
      return true
    },
  }
}
