import type { Clock } from '../../platform/clock.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'

const CALLS_PER_MINUTE_AND_ACCOUNT = 600
/** All people share the calls that the payment provider takes from us (docs.stripe.com/rate-limits: 100 a second, 25 in test mode). */
const PROVIDER_CALLS_PER_MINUTE_AND_ACCOUNT = 30
const WINDOW_MS = 60_000

/**
 * The coarse limits of an account's calls, counted in this process: they keep a runaway script from crowding out others
 * and cost no statement. Limits that must be exact are in the database.
 * @returns a check that throws `rate_limited`; `asksProvider` of calls that ask the payment provider something
 */
export function limitCallers(clock: Clock): (caller: Caller, asksProvider: boolean) => Promise<void> {
  const countCall = countCalls(clock, CALLS_PER_MINUTE_AND_ACCOUNT)
  const countProviderCall = countCalls(clock, PROVIDER_CALLS_PER_MINUTE_AND_ACCOUNT)
  return async (caller, asksProvider) => {
    countCall(caller)
    if (asksProvider) countProviderCall(caller)
  }
}

function countCalls(clock: Clock, max: number): (caller: Caller) => void {
  let windowStart = 0
  let calls = new Map<string, number>()
  return (caller) => {
    const instant = clock.now().getTime()
    const start = Math.floor(instant / WINDOW_MS) * WINDOW_MS
    if (start !== windowStart) {
      windowStart = start
      calls = new Map()
    }
    const count = (calls.get(caller.userId) ?? 0) + 1
    calls.set(caller.userId, count)
    if (count <= max) return
    throw refusal('rate_limited', { retryAfterSeconds: Math.ceil((start + WINDOW_MS - instant) / 1000) })
  }
}
