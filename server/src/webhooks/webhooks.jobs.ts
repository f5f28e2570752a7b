import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { defineJob, enqueue } from '../work/jobs.ts'

/** Deals with a webhook that was received. */
export const handleStripeEvent = defineJob('handle-stripe-event', z.object({ eventId: z.string() }))

/** Asks Stripe for events that never arrived. */
export const catchUpEvents = defineJob('catch-up-stripe-events', z.unknown())

/** Compares a page of what lives at Stripe with what is stored here, and goes on with the next one. */
export const compareWithStripe = defineJob(
  'compare-with-stripe',
  z.object({ after: z.string().optional(), began: z.string().optional() }),
)

/** Once for each event that waits. The queue tries once: the event's own row says when it is tried again. */
export function enqueueEvent(tx: Queryable, eventId: string): Promise<void> {
  return enqueue(tx, handleStripeEvent, { eventId }, { key: `stripe-event:${eventId}`, maxAttempts: 1 })
}
