import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** Counts of a calendar month (UTC). A payment that was warned of and disputed counts as both, the stricter reading. */
export type CardMonth = { warnings: number; disputes: number; payments: number }

/**
 * Counts what card networks judge a platform by, of all traders: warnings and disputes by when they came, and payments. An inquiry of a
 * bank is no dispute (`isChargeback`).
 */
export async function countCardMonth(
  db: Queryable,
  { end, start }: { start: Date; end: Date },
): Promise<CardMonth> {
  const { rows } = await sql<CardMonth>`select
    (select count(*)::int from invoices where warned_at >= ${start} and warned_at < ${end}) as warnings,
    (select count(*)::int from invoices where disputed_at >= ${start} and disputed_at < ${end}
      and dispute_status not like 'warning\\_%' and dispute_status <> 'prevented') as disputes,
    (select count(*)::int from invoices where paid_at >= ${start} and paid_at < ${end}
      and status = 'paid' and amount_paid_cents > 0) as payments`.execute(db)
  return rows[0] ?? { warnings: 0, disputes: 0, payments: 0 }
}
