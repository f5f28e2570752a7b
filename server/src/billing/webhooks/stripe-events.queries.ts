import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type StripeEventRow = {
  eventId: string
  /** Which of our two addresses it came to. */
  endpoint: 'platform' | 'accounts'
  type: string
  /** Stripe's id of the object that changed. */
  objectId: string | null
  apiVersion: string | null
}

/**
 * Keeps an event once.
 * @param state `ignored` for one that nobody deals with
 * @param dueAt when it is dealt with; null for one that is ignored
 */
export async function keepEvent(
  tx: Queryable,
  event: StripeEventRow,
  state: 'received' | 'ignored',
  dueAt: Date | null,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('stripe_events')
    .values({
      event_id: event.eventId,
      endpoint: event.endpoint,
      type: event.type,
      object_id: event.objectId,
      api_version: event.apiVersion,
      state,
      received_at: now,
      due_at: dueAt,
      processed_at: state === 'ignored' ? now : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** With the tries so far. */
export type WaitingEvent = Pick<StripeEventRow, 'type' | 'objectId'> & {
  attempts: number
  refusedAt: Date | null
  dueAt: Date | null
}

/** An event that waits to be dealt with; null when it does not. */
export async function findWaitingEvent(db: Queryable, eventId: string): Promise<WaitingEvent | null> {
  const row = await db
    .selectFrom('stripe_events')
    .select(['type', 'object_id as objectId', 'attempts', 'refused_at as refusedAt', 'due_at as dueAt'])
    .where('event_id', '=', eventId)
    .where('state', '=', 'received')
    .executeTakeFirst()
  return row ?? null
}

/** @returns whether it is this call that closed it */
export async function closeEvent(
  tx: Queryable,
  eventId: string,
  state: 'done' | 'ignored',
  now: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable('stripe_events')
    .set({ state, error: null, due_at: null, processed_at: now })
    .where('event_id', '=', eventId)
    .where('state', '=', 'received')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Notes a try that failed. One that came again since then is due at once all the same.
 * @param failure.error a code, never words that quote data
 * @param failure.wasDueAt before the try
 */
export async function noteFailure(
  tx: Queryable,
  eventId: string,
  failure: { error: string; attempts: number; refusedAt: Date | null; wasDueAt: Date | null; dueAt: Date },
): Promise<void> {
  await tx
    .updateTable('stripe_events')
    .set({
      error: failure.error,
      attempts: failure.attempts,
      refused_at: failure.refusedAt,
      due_at: sql<Date>`case when due_at > ${failure.wasDueAt} then due_at else ${failure.dueAt} end`,
    })
    .where('event_id', '=', eventId)
    .where('state', '=', 'received')
    .execute()
}

/** Forgets events that were dealt with before. Stripe itself keeps them for 30 days and sends them for 3. */
export async function purgeEvents(db: Queryable, before: Date): Promise<void> {
  await db
    .deleteFrom('stripe_events')
    .where('received_at', '<', before)
    .where('state', '<>', 'received')
    .execute()
}

export type StuckEvent = {
  eventId: string
  type: string
  objectId: string | null
  attempts: number
  error: string
  receivedAt: Date
  dueAt: Date
}

/** Events that were tried and could not be dealt with, the oldest first. */
export function listStuckEvents(db: Queryable, limit: number): Promise<StuckEvent[]> {
  return db
    .selectFrom('stripe_events')
    .select(['event_id as eventId', 'type', 'object_id as objectId', 'attempts'])
    .select(['error', 'received_at as receivedAt', 'due_at as dueAt'])
    .where('due_at', 'is not', null)
    .where('error', 'is not', null)
    .orderBy('received_at')
    .limit(limit)
    .$narrowType<{ error: string; dueAt: Date }>()
    .execute()
}
