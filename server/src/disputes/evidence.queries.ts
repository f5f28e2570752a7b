import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { sql } from 'kysely'
import { entitledWindows } from '../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/** A disputed payment, with the subscription that it was for; instants of what never happened are null. */
export type DisputedPayment = {
  traderId: string
  subscriberId: string
  subscriptionId: string
  stripeSubscriptionId: string
  priceCents: number
  currency: string
  interval: BillingInterval
  startedAt: Date
  endedAt: Date | null
  endReason: string | null
  paidCents: number
  refundedCents: number
  paidAt: Date | null
  periodStart: Date | null
  periodEnd: Date | null
}

/** @param paymentId Stripe's. @returns null for a payment that is not stored here */
export async function findDisputedPayment(db: Queryable, paymentId: string): Promise<DisputedPayment | null> {
  const { rows } = await sql<DisputedPayment>`
    select invoice.trader_id as "traderId", bought.subscriber_id as "subscriberId", bought.id as "subscriptionId",
      bought.stripe_subscription_id as "stripeSubscriptionId", bought.price_cents as "priceCents", bought.currency, bought.billing_interval as interval, bought.started_at as "startedAt",
      bought.ended_at as "endedAt", bought.end_reason as "endReason", invoice.amount_paid_cents as "paidCents",
      invoice.refunded_cents as "refundedCents", invoice.paid_at as "paidAt", invoice.period_start as "periodStart",
      invoice.period_end as "periodEnd"
    from invoices invoice
      join subscriptions bought on bought.trader_id = invoice.trader_id and bought.id = invoice.subscription_id
    where invoice.payment_intent_id = ${paymentId}`.execute(db)
  return rows[0] ?? null
}

/** The names by which a trader is known and their subscriber is mailed. @returns null for a subscriber who is gone */
export async function findParties(
  db: Queryable,
  { subscriberId, traderId }: Pick<DisputedPayment, 'traderId' | 'subscriberId'>,
): Promise<{ trader: string; email: string } | null> {
  const row = await db
    .selectFrom('users')
    .leftJoin('accounts', (join) => join.on('accounts.user_id', '=', traderId))
    .select(['users.email', 'accounts.username as trader'])
    .where('users.id', '=', subscriberId)
    .executeTakeFirst()
  return row?.email ? { email: row.email, trader: row.trader ?? '' } : null
}

export type Consent = { acceptedAt: Date; termsVersion: string; sentence: string }

/** @returns null for a subscription without a stored consent */
export async function findConsent(
  db: Queryable,
  of: Pick<DisputedPayment, 'traderId' | 'subscriberId' | 'subscriptionId'>,
): Promise<Consent | null> {
  const row = await db
    .selectFrom('consents')
    .select(['accepted_at as acceptedAt', 'terms_version as termsVersion', 'sentence'])
    .where('trader_id', '=', of.traderId)
    .where('user_id', '=', of.subscriberId)
    .where('subscription_id', '=', of.subscriptionId)
    .executeTakeFirst()
  return row ?? null
}

/**
 * When the subscriber last canceled: by the mail that acknowledged it, of which the cause stays (`canceledMail`).
 * @returns null where they never did
 */
export async function findCanceledAt(
  db: Queryable,
  of: Pick<DisputedPayment, 'subscriberId' | 'stripeSubscriptionId'>,
): Promise<Date | null> {
  const before = `${of.stripeSubscriptionId}:`
  const row = await db
    .selectFrom('outbox')
    .select('cause')
    .where('user_id', '=', of.subscriberId)
    .where('kind', '=', 'subscription_canceled')
    .where('cause', 'like', `${before}%`)
    .orderBy('cause', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.cause ? new Date(row.cause.slice(before.length)) : null
}

/** When a mail server took the mail that a subscription began, with the positions that were open then; null where none did. */
export async function findStartedMailAt(
  db: Queryable,
  of: Pick<DisputedPayment, 'subscriberId' | 'subscriptionId'>,
): Promise<Date | null> {
  const row = await db
    .selectFrom('outbox')
    .select('ended_at')
    .where('user_id', '=', of.subscriberId)
    .where('kind', '=', 'subscription_started')
    .where('cause', '=', of.subscriptionId)
    .where('ended_as', '=', 'sent')
    .executeTakeFirst()
  return row?.ended_at ?? null
}

export type SignIn = { at: Date; ip: string | null; userAgent: string | null }

/** Sign-ins of somebody between two instants that the audit log still knows, the newest first. */
export async function listSignIns(
  db: Queryable,
  of: { userId: string; from: Date; until: Date; limit: number },
): Promise<SignIn[]> {
  return db
    .selectFrom('audit_log')
    .select(['at', 'ip', 'user_agent as userAgent'])
    .where('user_id', '=', of.userId)
    .where('action', '=', 'signed_in')
    .where('at', '>=', of.from)
    .where('at', '<=', of.until)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(of.limit)
    .execute()
}

/** An event that a subscription was entitled to. */
export type EntitledEvent = { eventNo: number; at: Date; kind: string; symbol: string }

/** The place of a subscription in its trader's mailing order, and the numbers of the events at which it was entitled, as a multirange. */
export async function findFollowed(
  db: Queryable,
  of: { traderId: string; subscriptionId: string },
): Promise<{ mailNo: number; windows: string }> {
  const { rows } = await sql<{ mailNo: number; windows: string | null }>`
    select mail_no as "mailNo", (${entitledWindows})::text as windows from subscriptions
    where trader_id = ${of.traderId} and id = ${of.subscriptionId} group by mail_no`.execute(db)
  const [row] = rows
  return { mailNo: row?.mailNo ?? 0, windows: row?.windows ?? '{}' }
}

/** The events in some windows of before an instant, the newest first. */
export async function listEvents(
  db: Queryable,
  of: { traderId: string; windows: string; until: Date; limit: number },
): Promise<EntitledEvent[]> {
  const { rows } = await sql<EntitledEvent>`
    select event.event_no as "eventNo", event.created_at as at, event.kind, position.symbol
    from position_events event
      join positions position on position.trader_id = event.trader_id and position.id = event.position_id
    where event.trader_id = ${of.traderId} and ${of.windows}::int8multirange @> event.event_no
      and event.created_at <= ${of.until}::timestamptz
    order by event.event_no desc limit ${of.limit}`.execute(db)
  return rows
}

/** Mails of events that went by themselves, after a delay: when a mail server took each. */
export async function listLateMails(
  db: Queryable,
  of: { traderId: string; mailNo: number },
): Promise<{ eventNo: number; sentAt: Date }[]> {
  return db
    .selectFrom('delivery_exceptions')
    .select(['event_no as eventNo', 'updated_at as sentAt'])
    .where('trader_id', '=', of.traderId)
    .where('mail_no', '=', of.mailNo)
    .where('channel', '=', 'mail')
    .where('state', '=', 'sent')
    .execute()
}
