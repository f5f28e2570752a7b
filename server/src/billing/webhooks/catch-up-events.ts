import { eachEvent } from '../../stripe/events.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findEventsSeenUntil, storeEventsSeenUntil } from '../provider/platform.queries.ts'
import { receiveEvent } from './receive-event.ts'

/** Events of this long are asked for at a time, and the instant reached is stored after each: a failed run is resumed there. */
const WINDOW_MS = 6 * 3_600_000
/** Each run begins this long before the last one's end: Stripe may list an event late. */
const OVERLAP_MS = 10 * 60_000
/** Stripe keeps events for 30 days (docs.stripe.com/api/events). */
const KEPT_MS = 30 * 86_400_000

/**
 * Reads Stripe's list of events and stores those whose webhook never arrived; the others are known by their ids.
 * @throws what Stripe throws; the next run goes on where this one stopped
 */
export async function catchUp(deps: BillingDeps, now: Date): Promise<void> {
  const seenUntil = await findEventsSeenUntil(deps.db)
  // Stripe has not been set up, so no event is ours.
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
