import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { InvoiceTax } from '../../stripe/invoices.ts'

/** A payment for a subscription, in cents. @property owedCents that open debts of other causes are returning */
export type Payment = {
  invoiceId: string
  paidCents: number
  /** The platform's fee on it. */
  feeCents: number
  tax: InvoiceTax | null
  refundedCents: number
  owedCents: number
  periodStart: Date | null
  periodEnd: Date | null
  paidAt: Date
  disputeStatus: string | null
  /** When its card network warned of it (rule G-128). */
  warnedAt: Date | null
}

/** The payments for a subscription that are known here, the oldest first. */
export async function listPayments(
  db: Queryable,
  { id, traderId }: { traderId: string; id: string },
): Promise<Payment[]> {
  const { rows } = await sql<Payment>`
    select invoice.invoice_id as "invoiceId", invoice.amount_paid_cents as "paidCents", invoice.fee_cents as "feeCents",
      case when invoice.tax_liable is not null then json_build_object('cents', invoice.tax_cents, 'liable', invoice.tax_liable) end as tax, invoice.refunded_cents as "refundedCents",
      coalesce((select sum(debt.amount_cents) from debts debt where debt.trader_id = invoice.trader_id
        and debt.invoice_id = invoice.invoice_id and debt.kind = 'refund' and debt.state = 'open'), 0)::int as "owedCents",
      invoice.period_start as "periodStart", invoice.period_end as "periodEnd",
      coalesce(invoice.paid_at, invoice.created_at) as "paidAt", invoice.dispute_status as "disputeStatus",
      invoice.warned_at as "warnedAt"
    from invoices invoice
    where invoice.trader_id = ${traderId} and invoice.subscription_id = ${id}
      and invoice.status = 'paid' and invoice.amount_paid_cents > 0
    order by "paidAt", invoice.invoice_id`.execute(db)
  return rows
}
