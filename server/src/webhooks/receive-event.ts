import { ACCOUNT_EVENTS, PLATFORM_EVENTS } from '../payments/webhook-events.ts'
import { type Queryable, withTransaction } from '../platform/database.ts'
import { keepEvent, type StripeEventRow } from './stripe-events.queries.ts'
import { enqueueEvent } from './webhooks.jobs.ts'

/** The queue comes first; a job that was lost is missed after this time. */
const FIRST_LOOK_MS = 20_000

const HANDLED: Record<StripeEventRow['endpoint'], readonly string[]> = {
  platform: PLATFORM_EVENTS,
  accounts: ACCOUNT_EVENTS,
}

/**
 * Keeps an event and has it dealt with, both or neither. One that was kept before is not kept twice; if it still waits,
 * its coming again is a reason to try again.
 */
export function receiveEvent(db: Queryable, event: StripeEventRow, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const handled = HANDLED[event.endpoint].includes(event.type)
    const dueAt = handled ? new Date(now.getTime() + FIRST_LOOK_MS) : null
    const waits = await keepEvent(tx, event, handled ? 'received' : 'ignored', dueAt, now)
    if (waits) await enqueueEvent(tx, event.eventId)
  })
}
