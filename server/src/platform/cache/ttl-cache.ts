import type { Clock } from '../clock.ts'

/** Anybody who is signed in chooses what is asked, so that what is kept is bounded. */
const MAX_KEPT = 1000

/**
 * Keeps answers for a while, so that a provider is asked once however many people wait for the same one. Failures are not
 * kept: the next call asks again.
 * @param forMs how long an answer is good for
 */
export function ttlCache<Answer>(
  clock: Clock,
  forMs: number,
  ask: (key: string) => Promise<Answer>,
): (key: string) => Promise<Answer> {
  const kept = new Map<string, { since: number; answer: Promise<Answer> }>()
  return (key) => {
    const instant = clock.now().getTime()
    const known = kept.get(key)
    // When the clock was set back, an answer from the future does not count.
    if (known && instant >= known.since && instant < known.since + forMs) return known.answer
    const answer = ask(key)
    kept.delete(key)
    kept.set(key, { since: instant, answer })
    const oldest = kept.keys().next()
    if (kept.size > MAX_KEPT && !oldest.done) kept.delete(oldest.value)
    answer.catch(() => {
      if (kept.get(key)?.answer === answer) kept.delete(key)
    })
    return answer
  }
}
