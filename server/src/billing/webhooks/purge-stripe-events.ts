import type { Queryable } from '../../platform/database.ts'
import { purgeEvents } from './stripe-events.queries.ts'

/** Longer than Stripe itself knows an event. */
const KEPT_MS = 60 * 86_400_000

/** Forgets events that were dealt with long ago. */
export function purgeStripeEvents(db: Queryable, now: Date): Promise<void> {
  return purgeEvents(db, new Date(now.getTime() - KEPT_MS))
}
