import type { Queryable } from '../../platform/database/queryable.ts'

/** An open debt as an operator reads it; `server/migrations/0004_money.sql` explains each column. */
export type OpenDebt = {
  id: string
  kind: string
  subscriptionId: string
  subject: string
  cause: string
  amountCents: number | null
  currency: string
  tries: number
  error: string | null
  refusedAt: Date | null
  dueAt: Date | null
  createdAt: Date
  /** The trader's username; null while there is none. */
  trader: string | null
}

/** Open debts, the oldest first. */
export function listOpenDebts(db: Queryable, limit: number): Promise<OpenDebt[]> {
  return db
    .selectFrom('debts')
    .leftJoin('accounts', 'accounts.user_id', 'debts.trader_id')
    .select([
      'debts.id',
      'debts.kind',
      'debts.stripe_subscription_id as subscriptionId',
      'debts.subject',
      'debts.cause',
      'debts.amount_cents as amountCents',
      'debts.currency',
      'debts.tries',
      'debts.error',
      'debts.refused_at as refusedAt',
      'debts.due_at as dueAt',
      'debts.created_at as createdAt',
      'accounts.username as trader',
    ])
    .where('due_at', 'is not', null)
    .orderBy('debts.created_at')
    .orderBy('debts.id')
    .limit(limit)
    .execute()
}

/** Makes open debts due now. @param id of one debt; null for all @returns how many became due */
export async function bringForward(db: Queryable, id: string | null, now: Date): Promise<number> {
  const result = await db
    .updateTable('debts')
    .set({ due_at: now })
    .where('due_at', 'is not', null)
    .$if(id !== null, (query) => query.where('id', '=', id ?? ''))
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Marks an open debt as given up. @returns 1, or 0 when no open debt has this id */
export async function dropDebt(db: Queryable, id: string, remark: string, now: Date): Promise<number> {
  const result = await db
    .updateTable('debts')
    .set({ state: 'dropped', remark, settled_at: now, due_at: null })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
