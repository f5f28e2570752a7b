import type { TaxLiable } from '@tradepost/contract/tax'
import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type PaidInvoice = {
  traderId: string
  subscriberId: string
  invoiceId: string
  subscriptionId: string
  /** Cents that are with the trader of it. */
  atTraderCents: number
}

/** The invoice that was paid by a payment or its charge; null for one that is not stored here. */
export async function findPaidInvoice(
  db: Queryable,
  by: { paymentId: string } | { chargeId: string },
): Promise<PaidInvoice | null> {
  const [column, id] =
    'paymentId' in by ? (['payment_intent_id', by.paymentId] as const) : (['charge_id', by.chargeId] as const)
  const row = await db
    .selectFrom('invoices')
    .innerJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.trader_id', '=', 'invoices.trader_id')
        .onRef('subscriptions.id', '=', 'invoices.subscription_id'),
    )
    .select(['invoices.trader_id', 'subscriptions.subscriber_id', 'invoice_id', 'subscription_id'])
    .select((eb) => eb('transferred_cents', '-', eb.ref('reversed_cents')).as('at_trader'))
    .where(column, '=', id)
    .executeTakeFirst()
  if (!row) return null
  return {
    traderId: row.trader_id,
    subscriberId: row.subscriber_id,
    invoiceId: row.invoice_id,
    subscriptionId: row.subscription_id,
    atTraderCents: row.at_trader,
  }
}

/** When the first payment for a subscription came; null while none is known here. @param key.id ours */
export async function findFirstPaidAt(
  db: Queryable,
  key: { traderId: string; id: string },
): Promise<Date | null> {
  const row = await db
    .selectFrom('invoices')
    .select((eb) => eb.fn.min(eb.fn.coalesce('paid_at', 'created_at')).as('first'))
    .where('trader_id', '=', key.traderId)
    .where('subscription_id', '=', key.id)
    .where('status', '=', 'paid')
    .where('amount_paid_cents', '>', 0)
    .executeTakeFirst()
  return row?.first ?? null
}

export type InvoiceRow = {
  traderId: string
  invoiceId: string
  subscriptionId: string
  status: string
  amountDueCents: number
  amountPaidCents: number
  refundedCents: number
  transferredCents: number
  reversedCents: number
  feeCents: number
  feeRefundedCents: number
  taxCents: number
  taxLiable: TaxLiable | null
  /** server/migrations/0027_tax.sql says which. */
  taxHeldCents: number
  currency: string
  periodStart: Date | null
  periodEnd: Date | null
  paidAt: Date | null
  chargeId: string | null
  paymentId: string | null
  disputedAt: Date | null
  disputeStatus: string | null
  createdAt: Date
}

/** The dispute of an invoice as it was stored; null for none, and when the invoice is not stored. */
export async function findStoredDispute(
  tx: Queryable,
  key: { traderId: string; invoiceId: string },
): Promise<{ status: string | null } | null> {
  const row = await tx
    .selectFrom('invoices')
    .select(['disputed_at', 'dispute_status as status'])
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .executeTakeFirst()
  return row?.disputed_at ? { status: row.status } : null
}

/** Keeps that a card network warned of a payment. @returns whether nobody had warned of it before */
export async function noteWarning(
  tx: Queryable,
  key: { traderId: string; invoiceId: string },
  warnedAt: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invoices')
    .set({ warned_at: warnedAt })
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .where('warned_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Invoices of a subscription, by Stripe's id of it, of whose payment a card network warned. */
export async function listWarned(
  tx: Queryable,
  key: { traderId: string; subscriptionId: string },
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('invoices')
    .innerJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.trader_id', '=', 'invoices.trader_id')
        .onRef('subscriptions.id', '=', 'invoices.subscription_id'),
    )
    .select('invoice_id')
    .where('invoices.trader_id', '=', key.traderId)
    .where('subscriptions.stripe_subscription_id', '=', key.subscriptionId)
    .where('warned_at', 'is not', null)
    .execute()
  return new Set(rows.map(({ invoice_id }) => invoice_id))
}

/** How many disputes and inquiries wait for the operator's answer. */
export async function countUnanswered(db: Queryable): Promise<number> {
  const { count } = await db
    .selectFrom('invoices')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count'))
    .where('disputed_at', 'is not', null)
    .where('dispute_status', 'in', ['needs_response', 'warning_needs_response'])
    .executeTakeFirstOrThrow()
  return count
}

/** Writes an invoice as it is at Stripe, whatever was written of it before. */
export async function putInvoice(tx: Queryable, invoice: InvoiceRow, now: Date): Promise<void> {
  const facts = {
    status: invoice.status,
    amount_due_cents: invoice.amountDueCents,
    amount_paid_cents: invoice.amountPaidCents,
    refunded_cents: invoice.refundedCents,
    transferred_cents: invoice.transferredCents,
    reversed_cents: invoice.reversedCents,
    fee_cents: invoice.feeCents,
    fee_refunded_cents: invoice.feeRefundedCents,
    tax_cents: invoice.taxCents,
    tax_liable: invoice.taxLiable,
    tax_held_cents: invoice.taxHeldCents,
    period_start: invoice.periodStart,
    period_end: invoice.periodEnd,
    paid_at: invoice.paidAt,
    charge_id: invoice.chargeId,
    payment_intent_id: invoice.paymentId,
    disputed_at: invoice.disputedAt,
    dispute_status: invoice.disputeStatus,
    synced_at: now,
  }
  // A refund is dated by when it was found, one of Stripe's dashboard too.
  const refundedAt = sql<Date | null>`case when excluded.refunded_cents > invoices.refunded_cents then ${now}::timestamptz
    when excluded.refunded_cents > 0 then invoices.refunded_at end`
  await tx
    .insertInto('invoices')
    .values({
      trader_id: invoice.traderId,
      invoice_id: invoice.invoiceId,
      subscription_id: invoice.subscriptionId,
      currency: invoice.currency,
      created_at: invoice.createdAt,
      refunded_at: invoice.refundedCents > 0 ? now : null,
      ...facts,
    })
    .onConflict((conflict) =>
      conflict.columns(['trader_id', 'invoice_id']).doUpdateSet({ ...facts, refunded_at: refundedAt }),
    )
    .execute()
}

/** How many cents of an invoice were transferred to the trader a second time, after a dispute was won. */
export async function sumPassedAgain(
  tx: Queryable,
  key: { traderId: string; invoiceId: string },
): Promise<number> {
  const { cents } = await tx
    .selectFrom('debts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('amount_cents'), eb.val(0)).as('cents'))
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .where('kind', '=', 'transfer')
    .where('state', '=', 'settled')
    .executeTakeFirstOrThrow()
  return Number(cents)
}
