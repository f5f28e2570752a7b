import { type Queryable, withTransaction } from '../platform/database.ts'
import { claimWaitingCheckouts } from './checkout-sessions.queries.ts'
import { enqueueCheckout } from './subscriptions.jobs.ts'

/** Checkouts that one sweep takes on; the next one comes soon. */
const BATCH = 200
/** One that is still open is looked at again after this time. */
const LOOK_AGAIN_MS = 3_600_000

/** Has checkouts settled that were cut off before they had a page, and those whose end nobody told. */
export function sweepCheckouts(db: Queryable, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const nextLookAt = new Date(now.getTime() + LOOK_AGAIN_MS)
    for (const key of await claimWaitingCheckouts(tx, now, nextLookAt, BATCH)) await enqueueCheckout(tx, key)
  })
}
