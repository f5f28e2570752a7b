import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/** A payment that its card network warned of, and of which something is left. @property trader null for one who has no name */
export type OpenWarning = {
  chargeId: string
  warnedAt: Date
  paidCents: number
  /** Neither returned nor on its way. */
  leftCents: number
  currency: string
  trader: string | null
}

/** Warnings about which `refund-warning` would do something: no bank has the payment, and no dispute of it was won. The oldest first. */
export async function listOpenWarnings(db: Queryable, limit: number): Promise<OpenWarning[]> {
  const { rows } = await sql<OpenWarning>`
    select charge_id as "chargeId", warned_at as "warnedAt", paid_cents as "paidCents", left_cents as "leftCents", currency, trader
    from (
      select invoice.charge_id, invoice.warned_at, invoice.amount_paid_cents as paid_cents, invoice.currency, account.username as trader,
        invoice.amount_paid_cents - invoice.refunded_cents - (
          select coalesce(sum(debt.amount_cents), 0)::int from debts debt where debt.trader_id = invoice.trader_id
            and debt.invoice_id = invoice.invoice_id and debt.kind = 'refund' and debt.state = 'open') as left_cents
      from invoices invoice left join accounts account on account.user_id = invoice.trader_id
      where invoice.warned_at is not null and invoice.status = 'paid'
        and (invoice.dispute_status is null or invoice.dispute_status like 'warning%' or invoice.dispute_status = 'prevented')
    ) warned
    where left_cents > 0
    order by warned_at, charge_id limit ${limit}`.execute(db)
  return rows
}
