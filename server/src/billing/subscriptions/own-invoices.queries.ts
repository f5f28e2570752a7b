import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** A payment as it is listed; the instant as JavaScript reads it. */
type ListedInvoice = {
  id: string
  trader: string
  paidAt: Date
  amountCents: number
  taxCents: number
  refundedCents: number
  currency: string
}

/** The newest payments of a person for following anybody. */
export function listOwnInvoices(db: Queryable, subscriberId: string, most: number): Promise<ListedInvoice[]> {
  return selectOwnInvoices(db, { subscriberId, most })
}

const selectOwnInvoices = compiledQuery(
  (_db, { most, subscriberId }: { subscriberId: string; most: number }) => sql<ListedInvoice>`
    select invoice.invoice_id as id, coalesce(account.username, '') as trader,
      coalesce(invoice.paid_at, invoice.created_at) as "paidAt", invoice.amount_paid_cents as "amountCents",
      invoice.tax_cents as "taxCents", invoice.refunded_cents as "refundedCents", invoice.currency
    from subscriptions follow
    join invoices invoice on invoice.trader_id = follow.trader_id and invoice.subscription_id = follow.id
    left join accounts account on account.user_id = follow.trader_id
    where follow.subscriber_id = ${subscriberId} and invoice.status = 'paid' and invoice.amount_paid_cents > 0
    order by "paidAt" desc, invoice.created_at desc, invoice.invoice_id limit ${most}`,
)

/** Whether an invoice, by Stripe's id, is of a subscription of this person's. */
export async function isOwnInvoice(db: Queryable, subscriberId: string, invoiceId: string): Promise<boolean> {
  return (await selectOwnInvoice(db, { subscriberId, invoiceId })).length > 0
}

const selectOwnInvoice = compiledQuery(
  (_db, { invoiceId, subscriberId }: { subscriberId: string; invoiceId: string }) => sql<{ one: number }>`
    select 1 as one from subscriptions follow
    join invoices invoice on invoice.trader_id = follow.trader_id and invoice.subscription_id = follow.id
    where follow.subscriber_id = ${subscriberId} and invoice.invoice_id = ${invoiceId} limit 1`,
)
