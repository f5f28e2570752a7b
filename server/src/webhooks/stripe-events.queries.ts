import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

export type StripeEventRow = {
  eventId: string
  /** Which of our two addresses it came to. */
  endpoint: 'platform' | 'accounts'
  type: string
  /** What changed. */
  objectId: string | null
  apiVersion: string | null
}

/**
 * Keeps an event once.
 * @param state `ignored` for one that nobody deals with
 * @param dueAt when it is dealt with automatically, should its job be lost; null for one that is ignored
 * @returns whether it still waits to be dealt with
 */
export async function keepEvent(
  tx: Queryable,
  event: StripeEventRow,
  state: 'received' | 'ignored',
  dueAt: Date | null,
  now: Date,
): Promise<boolean> {
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
  const row = await tx
    .selectFrom('stripe_events')
    .select('state')
    .where('event_id', '=', event.eventId)
    .executeTakeFirstOrThrow()
  return row.state === 'received'
}

/** An event that waits to be dealt with, with the tries so far; null when it does not. */
export async function findWaitingEvent(
  db: Queryable,
  eventId: string,
): Promise<{ type: string; objectId: string | null; attempts: number; refusedAt: Date | null } | null> {
  const row = await db
    .selectFrom('stripe_events')
    .select(['type', 'object_id', 'attempts', 'refused_at'])
    .where('event_id', '=', eventId)
    .where('state', '=', 'received')
    .executeTakeFirst()
  if (!row) return null
  return { type: row.type, objectId: row.object_id, attempts: row.attempts, refusedAt: row.refused_at }
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

/** Notes a try that failed. @param failure.error a code, never words that quote data */
export async function noteFailure(
  tx: Queryable,
  eventId: string,
  failure: { error: string; attempts: number; refusedAt: Date | null; dueAt: Date },
): Promise<void> {
  await tx
    .updateTable('stripe_events')
    .set({
      error: failure.error,
      attempts: failure.attempts,
      refused_at: failure.refusedAt,
      due_at: failure.dueAt,
    })
    .where('event_id', '=', eventId)
    .where('state', '=', 'received')
    .execute()
}

/** Takes on events whose time has come, and puts their next time off. @returns their ids */
export async function claimDueEvents(
  tx: Queryable,
  now: Date,
  nextDueAt: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    update stripe_events set due_at = ${nextDueAt} where event_id in (
      select event_id from stripe_events where due_at <= ${now}
      order by due_at limit ${limit} for update skip locked)
    returning event_id`.execute(tx)
  return rows.map((row) => row.event_id)
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
