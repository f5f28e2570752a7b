import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { ACCOUNT_EVENTS, PLATFORM_EVENTS } from '../../stripe/webhook-events.ts'
import { makeDue } from '../../work/due-rows.queries.ts'
import { keepEvent, type StripeEventRow } from './stripe-events.queries.ts'
import { STRIPE_EVENTS } from './webhooks.jobs.ts'

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
    await keepEvent(tx, event, handled ? 'received' : 'ignored', handled ? now : null, now)
    await makeDue(tx, STRIPE_EVENTS, [event.eventId], now)
  })
}
