import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** A closing as migration 0013 keeps it; instants in UTC. */
export type Closing = {
  id: string
  userId: string
  reason: string | null
  closedAt: Date
  eraseAt: Date
  reopenedAt: Date | null
  endedAt: Date | null
  erasedAt: Date | null
  /** Stripe's ids of customers that are still to be deleted there. */
  customersLeft: string[]
}

const columns = [
  'id',
  'user_id as userId',
  'reason',
  'closed_at as closedAt',
  'erase_at as eraseAt',
  'reopened_at as reopenedAt',
  'ended_at as endedAt',
  'erased_at as erasedAt',
  'customers_left as customersLeft',
] as const

export async function findClosing(db: Queryable, id: string): Promise<Closing | null> {
  const row = await db.selectFrom('closings').select(columns).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** A closing, kept from changing until the transaction ends. */
export async function lockClosing(tx: Queryable, id: string): Promise<Closing | null> {
  const row = await tx
    .selectFrom('closings')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** The closing of an account that is closed now, also of somebody who is erased; null for one that is open. */
export async function findClosingOf(db: Queryable, userId: string): Promise<Closing | null> {
  const row = await db
    .selectFrom('closings')
    .select(columns)
    .where('user_id', '=', userId)
    .where('reopened_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** @returns false for somebody whose account is closed already, or nobody */
export async function markClosed(tx: Queryable, userId: string, now: Date): Promise<boolean> {
  const row = await tx
    .updateTable('users')
    .set({ closed_at: now, updated_at: now })
    .where('id', '=', userId)
    .where('closed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function markOpen(tx: Queryable, userId: string, now: Date): Promise<void> {
  await tx.updateTable('users').set({ closed_at: null, updated_at: now }).where('id', '=', userId).execute()
}

export async function insertClosing(
  tx: Queryable,
  closing: { id: string; userId: string; reason: string | null; eraseAt: Date },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('closings')
    .values({
      id: closing.id,
      user_id: closing.userId,
      reason: closing.reason,
      closed_at: now,
      erase_at: closing.eraseAt,
      due_at: now,
    })
    .execute()
}

export async function markReopened(tx: Queryable, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('closings')
    .set({ reopened_at: now, reason: null, due_at: null })
    .where('id', '=', id)
    .execute()
}

/** Has the person erased without any further day. */
export async function bringEndForward(tx: Queryable, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('closings')
    .set({ erase_at: sql<Date>`greatest(closed_at, ${now})` })
    .where('id', '=', id)
    .execute()
}

export async function markEnded(tx: Queryable, id: string, now: Date): Promise<void> {
  await tx.updateTable('closings').set({ ended_at: now }).where('id', '=', id).execute()
}

export async function markErased(
  tx: Queryable,
  closing: { id: string; customersLeft: string[] },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('closings')
    .set({ erased_at: now, reason: null, customers_left: closing.customersLeft })
    .where('id', '=', closing.id)
    .execute()
}

export async function removeCustomerLeft(db: Queryable, id: string, customerId: string): Promise<void> {
  await db
    .updateTable('closings')
    .set({ customers_left: sql<string[]>`array_remove(customers_left, ${customerId})` })
    .where('id', '=', id)
    .execute()
}

/**
 * Writes when a closing is due next, unless it was given back meanwhile, or its end brought forward by an operator, who made it due.
 * @param at null for never
 */
export async function setDue(
  db: Queryable,
  { eraseAt, id }: Pick<Closing, 'id' | 'eraseAt'>,
  at: Date | null,
): Promise<void> {
  await db
    .updateTable('closings')
    .set({ due_at: at, tries: 0 })
    .where('id', '=', id)
    .where('reopened_at', 'is', null)
    .where('erase_at', '=', eraseAt)
    .execute()
}

/** Whether a mail of the closing is still on its way. */
export async function isMailUnderWay(db: Queryable, of: { userId: string; cause: string }): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', 'account_erased')
    .where('user_id', '=', of.userId)
    .where('cause', '=', of.cause)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether subscriptions of the person are still to be ended at Stripe: their customer there has to wait for that. */
export async function hasOpenEnds(db: Queryable, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('debts')
    .select('id')
    .where('subscriber_id', '=', userId)
    .where('kind', '=', 'end')
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Whether Stripe may know of the person what we do not yet: a checkout that is paid, found by its customer alone, or a customer of whom its
 * answer was lost.
 */
export async function awaitsStripe(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await sql<{ awaits: boolean }>`
    select exists (select from checkout_sessions where subscriber_id = ${userId} and state = 'open')
      or exists (select from customers where user_id = ${userId} and state = 'pending' and retry_at is not null) as awaits`.execute(
    db,
  )
  return rows[0]?.awaits === true
}

/** Live subscriptions of and to a person, as the plan of a closing counts them. */
export async function countPairs(
  db: Queryable,
  userId: string,
): Promise<{ followed: number; followers: number }> {
  const { rows } = await sql<{ followed: number; followers: number }>`
    select count(*) filter (where subscriber_id = ${userId})::int as followed,
      count(*) filter (where trader_id = ${userId})::int as followers
    from subscriptions where status <> 'canceled' and (subscriber_id = ${userId} or trader_id = ${userId})`.execute(
    db,
  )
  return rows[0] ?? { followed: 0, followers: 0 }
}
