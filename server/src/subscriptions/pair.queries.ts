import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import type { Queryable } from '../platform/database.ts'

type Pair = { traderId: string; subscriberId: string }

/** Whose subscription this is here; null for one that was never written. */
export async function findPairOfSubscription(
  db: Queryable,
  stripeSubscriptionId: string,
): Promise<Pair | null> {
  const row = await db
    .selectFrom('subscriptions')
    .select(['trader_id', 'subscriber_id'])
    .where('stripe_subscription_id', '=', stripeSubscriptionId)
    .executeTakeFirst()
  return row ? { traderId: row.trader_id, subscriberId: row.subscriber_id } : null
}

/** A subscription of a pair as it stands here; `stripeId` is null for one that was not bought. */
export type PairRow = {
  id: string
  stripeId: string | null
  status: SubscriptionStatus
  endReason: string | null
}

export async function listPairRows(tx: Queryable, pair: Pair): Promise<PairRow[]> {
  const rows = await tx
    .selectFrom('subscriptions')
    .select(['id', 'stripe_subscription_id', 'status', 'end_reason'])
    .where('trader_id', '=', pair.traderId)
    .where('subscriber_id', '=', pair.subscriberId)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    stripeId: row.stripe_subscription_id,
    status: row.status as SubscriptionStatus,
    endReason: row.end_reason,
  }))
}

/** Whether both are people of this database, and the one who is followed can publish. */
export async function arePeople(db: Queryable, pair: Pair): Promise<boolean> {
  const row = await db
    .selectFrom(['users', 'traders'])
    .select('users.id')
    .where('users.id', '=', pair.subscriberId)
    .where('traders.trader_id', '=', pair.traderId)
    .executeTakeFirst()
  return row !== undefined
}

/** What only Stripe knows of a subscription, beside status and periods. */
export type StripeOnlyFacts = {
  startedAt: Date
  endedAt: Date | null
  priceCents: number
  currency: string
  feePercent: number | null
  pastDueSince: Date | null
  paused: boolean
  endReason: string | null
}

/** An end reason that was written stays. */
export async function storeStripeOnlyFacts(
  tx: Queryable,
  key: { traderId: string; id: string },
  facts: StripeOnlyFacts,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set((eb) => ({
      started_at: facts.startedAt,
      ended_at: facts.endedAt,
      price_cents: facts.priceCents,
      currency: facts.currency,
      fee_percent: facts.feePercent,
      past_due_since: facts.pastDueSince,
      paused_since: facts.paused ? eb.fn.coalesce('paused_since', eb.val(now)) : null,
      end_reason: eb.fn.coalesce('end_reason', eb.val(facts.endReason)),
      synced_at: now,
    }))
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
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
  currency: string
  periodStart: Date | null
  periodEnd: Date | null
  chargeId: string | null
  paymentIntentId: string | null
  disputedAt: Date | null
  disputeStatus: string | null
  createdAt: Date
}

/** Whether the invoice stands here as disputed; null while it does not stand here. */
export async function findDisputed(
  tx: Queryable,
  key: { traderId: string; invoiceId: string },
): Promise<boolean | null> {
  const row = await tx
    .selectFrom('invoices')
    .select('disputed_at')
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .executeTakeFirst()
  return row ? row.disputed_at !== null : null
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
    period_start: invoice.periodStart,
    period_end: invoice.periodEnd,
    charge_id: invoice.chargeId,
    payment_intent_id: invoice.paymentIntentId,
    disputed_at: invoice.disputedAt,
    dispute_status: invoice.disputeStatus,
    synced_at: now,
  }
  await tx
    .insertInto('invoices')
    .values({
      trader_id: invoice.traderId,
      invoice_id: invoice.invoiceId,
      subscription_id: invoice.subscriptionId,
      currency: invoice.currency,
      created_at: invoice.createdAt,
      ...facts,
    })
    .onConflict((conflict) => conflict.columns(['trader_id', 'invoice_id']).doUpdateSet(facts))
    .execute()
}
