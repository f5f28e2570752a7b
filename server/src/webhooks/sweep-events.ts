import { type Queryable, withTransaction } from '../platform/database.ts'
import { claimDueEvents, purgeEvents } from './stripe-events.queries.ts'
import { enqueueEvent } from './webhooks.jobs.ts'

/** Events that one sweep takes on; the next one comes soon. */
const BATCH = 500
/** A job that is lost again is missed after this time: with a sweep's pause, within a minute of the loss. */
const NEXT_LOOK_MS = 30_000
/** Longer than Stripe itself knows an event. */
const KEPT_MS = 60 * 86_400_000

/** Has events dealt with whose job was lost, and those that failed and have waited for their time. */
export function sweepEvents(db: Queryable, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const nextDueAt = new Date(now.getTime() + NEXT_LOOK_MS)
    for (const eventId of await claimDueEvents(tx, now, nextDueAt, BATCH)) await enqueueEvent(tx, eventId)
  })
}

/** Forgets events that were dealt with long ago. */
export function purgeStripeEvents(db: Queryable, now: Date): Promise<void> {
  return purgeEvents(db, new Date(now.getTime() - KEPT_MS))
}
