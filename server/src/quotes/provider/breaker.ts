/** Keeps a service that is down from being asked by every request, and finds out when it is back. */
export type Breaker = {
  /** Whether a call may be made now; the caller of an admitted one reports how it went. */
  admits(now: Date): boolean
  succeeded(): void
  /** It was not made after all. */
  dropped(): void
  /** @param about the subject that alone may be at fault, such as a symbol; null for a fault of the service */
  failed(now: Date, about: string | null): void
}

const FAILURES_TO_OPEN = 5
const OPEN_MS = 10_000

/**
 * Opens after 5 failures in a row; after 10 s one probe is let through, and its outcome closes or opens it again. Failures that may be of
 * one subject alone count once for each subject, so that a person who repeats one question does not shut the others out.
 */
export function makeBreaker(): Breaker {
  let failures = 0
  const failing = new Set<string>()
  let openedAt: number | null = null
  let probing = false
  return {
    admits(now) {
      if (openedAt === null) return true
      const passed = now.getTime() - openedAt
      // A clock that was set back must not keep it open for longer than it was meant to be.
      const waiting = passed >= 0 && passed < OPEN_MS
      if (waiting || probing) return false
      probing = true
      return true
    },
    succeeded() {
      failures = 0
      failing.clear()
      openedAt = null
      probing = false
    },
    dropped() {
      probing = false
    },
    failed(now, about) {
      if (about === null) failures += 1
      else failing.add(about)
      probing = false
      if (failures + failing.size >= FAILURES_TO_OPEN) openedAt = now.getTime()
    },
  }
}
