import { eachEvent } from '../../stripe/events.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findEventsSeenUntil, storeEventsSeenUntil } from '../provider/platform.queries.ts'
import { receiveEvent } from './receive-event.ts'

/** So much is asked for at a time, and the place is kept after each: a long outage is caught up step by step. */
const WINDOW_MS = 6 * 3_600_000
/** Events that became visible late are looked for again. */
const OVERLAP_MS = 10 * 60_000
/** Stripe keeps events for 30 days (docs.stripe.com/api/events). */
const KEPT_MS = 30 * 86_400_000

/**
 * Takes in the events that never arrived, by Stripe's own list of events. Events that arrived are known already.
 * @throws what Stripe throws; the next run goes on where this one stopped
 */
export async function catchUp(deps: BillingDeps, now: Date): Promise<void> {
  const seenUntil = await findEventsSeenUntil(deps.db)
  // Not set up: no event here is ours.
  if (!seenUntil) return
  let from = Math.max(seenUntil.getTime() - OVERLAP_MS, now.getTime() - KEPT_MS)
  for (;;) {
    const until = from + WINDOW_MS
    const isLast = until >= now.getTime()
    await takeIn(deps, { gte: seconds(from), ...(!isLast && { lt: seconds(until) }) }, now)
    await storeEventsSeenUntil(deps.db, isLast ? now : new Date(until))
    if (isLast) return
    from = until
  }
}

async function takeIn(deps: BillingDeps, created: { gte: number; lt?: number }, now: Date): Promise<void> {
  for await (const event of eachEvent(deps, created))
    await receiveEvent(deps.db, { ...event, endpoint: 'platform' }, now)
}

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)
