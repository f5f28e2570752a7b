import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** Somebody's account, and how its mails and its second step stand; instants of what never happened are null. */
export type PersonRow = {
  email: string
  confirmedAt: Date | null
  createdAt: Date
  lastSignInAt: Date | null
  suspendedAt: Date | null
  closedAt: Date | null
  positionMailsOffAt: Date | null
  renewalMailsOffAt: Date | null
  username: string | null
  usernameSetAt: Date | null
  publicPageSince: Date | null
  hasAbout: boolean
  followersShown: boolean
  customerId: string | null
  payoutState: string | null
  payoutAccountId: string | null
  payoutReason: string | null
  payoutLostAt: Date | null
  suppressedBecause: string | null
  suppressedSince: Date | null
  suppressedUntil: Date | null
  recoveryCodesLeft: number
  mailsWaiting: number
  reports: number
}

export async function findPersonRow(db: Queryable, userId: string): Promise<PersonRow | null> {
  const { rows } = await sql<PersonRow>`
    select person.email, person.email_confirmed_at as "confirmedAt", person.created_at as "createdAt",
      person.last_sign_in_at as "lastSignInAt", person.suspended_at as "suspendedAt", person.closed_at as "closedAt",
      person.position_mails_off_at as "positionMailsOffAt", renewal.stopped_at as "renewalMailsOffAt",
      account.username, account.username_set_at as "usernameSetAt", account.public_page_since as "publicPageSince",
      account.about is not null as "hasAbout", coalesce(account.followers_shown, false) as "followersShown",
      customer.stripe_customer_id as "customerId", payout.state as "payoutState",
      payout.stripe_account_id as "payoutAccountId", payout.reason as "payoutReason", payout.lost_at as "payoutLostAt",
      suppression.cause as "suppressedBecause", suppression.created_at as "suppressedSince",
      suppression.ends_at as "suppressedUntil",
      (select count(*)::int from recovery_codes where user_id = person.id and used_at is null) as "recoveryCodesLeft",
      (select count(*)::int from outbox where user_id = person.id and ended_at is null) as "mailsWaiting",
      (select count(*)::int from mail_reports where user_id = person.id) as reports
    from users person
      left join accounts account on account.user_id = person.id
      left join customers customer on customer.user_id = person.id
      left join payout_accounts payout on payout.user_id = person.id
      left join renewal_mails renewal on renewal.user_id = person.id
      left join suppressions suppression on suppression.user_id = person.id
    where person.id = ${userId}`.execute(db)
  return rows[0] ?? null
}

export type LiveSession = { aal: string; seenAt: Date; userAgent: string | null; ip: string | null }

/** Sessions that have not ended, the last used first. */
export async function listLiveSessions(db: Queryable, userId: string): Promise<LiveSession[]> {
  const { rows } = await sql<LiveSession>`
    select aal, coalesce(seen_at, refreshed_at) as "seenAt", coalesce(seen_user_agent, user_agent) as "userAgent",
      host(coalesce(seen_ip, ip)) as ip
    from sessions where user_id = ${userId} and revoked_at is null order by 2 desc`.execute(db)
  return rows
}

export type Factor = { name: string; status: string; createdAt: Date }

export async function listFactors(db: Queryable, userId: string): Promise<Factor[]> {
  return db
    .selectFrom('mfa_factors')
    .select(['friendly_name as name', 'status', 'created_at as createdAt'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
}

export type Device = { userAgent: string | null; createdAt: Date; failingSince: Date | null }

export async function listDevices(db: Queryable, userId: string): Promise<Device[]> {
  return db
    .selectFrom('push_devices')
    .select(['user_agent as userAgent', 'created_at as createdAt', 'failing_since as failingSince'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
}

export type Suspension = { since: Date; reason: string; restoredAt: Date | null; because: string | null }

/** Newest first. */
export async function listSuspensions(db: Queryable, userId: string): Promise<Suspension[]> {
  return db
    .selectFrom('suspensions')
    .select(['suspended_at as since', 'reason', 'restored_at as restoredAt', 'restored_because as because'])
    .where('user_id', '=', userId)
    .orderBy('suspended_at', 'desc')
    .execute()
}

export type PositionCounts = { open: number; closed: number; struck: number; lastAt: Date | null }

/** A struck position counts as struck alone; `lastAt`: of the last opening or close. */
export async function countPositions(db: Queryable, traderId: string): Promise<PositionCounts> {
  const { rows } = await sql<PositionCounts>`
    select count(*) filter (where struck_at is null and closed_at is null)::int as open,
      count(*) filter (where struck_at is null and closed_at is not null)::int as closed,
      count(*) filter (where struck_at is not null)::int as struck, max(greatest(opened_at, closed_at)) as "lastAt"
    from positions where trader_id = ${traderId}`.execute(db)
  return rows[0] ?? { open: 0, closed: 0, struck: 0, lastAt: null }
}

/** How many of somebody's followers are in each state. */
export async function countFollowers(
  db: Queryable,
  traderId: string,
): Promise<{ status: string; count: number }[]> {
  return db
    .selectFrom('subscriptions')
    .select((eb) => ['status', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .where('trader_id', '=', traderId)
    .groupBy('status')
    .orderBy('status')
    .execute()
}

export type PaidSubscription = {
  username: string | null
  status: string
  startedAt: Date
  endsAt: Date | null
  mutedAt: Date | null
  pausedSince: Date | null
  stripeId: string | null
  priceCents: number
  /** Of the next renewal, while a discount takes something off; else null. */
  renewalCents: number | null
  currency: string
  interval: BillingInterval
}

/** Subscriptions of somebody to others: the living first, then the newest. */
export async function listPaid(
  db: Queryable,
  subscriberId: string,
  limit: number,
): Promise<PaidSubscription[]> {
  const { rows } = await sql<PaidSubscription>`
    select account.username, followed.status, followed.started_at as "startedAt",
      coalesce(followed.ended_at, followed.cancel_at) as "endsAt", followed.mail_muted_at as "mutedAt",
      followed.paused_since as "pausedSince", followed.stripe_subscription_id as "stripeId",
      followed.price_cents as "priceCents", followed.renewal_cents as "renewalCents", followed.currency,
      followed.billing_interval as interval
    from subscriptions followed left join accounts account on account.user_id = followed.trader_id
    where followed.subscriber_id = ${subscriberId}
    order by followed.status = 'canceled', followed.started_at desc, followed.id limit ${limit}`.execute(db)
  return rows
}

export type PaymentSum = {
  currency: string
  payments: number
  paidCents: number
  refundedCents: number
  disputed: number
}

/** Payments that were made, by currency. @param side of which end of them the person is */
export async function sumPayments(
  db: Queryable,
  userId: string,
  side: 'subscriber' | 'trader',
): Promise<PaymentSum[]> {
  const { rows } = await sql<PaymentSum>`
    select invoice.currency, count(*)::int as payments, sum(invoice.amount_paid_cents)::int8 as "paidCents",
      sum(invoice.refunded_cents)::int8 as "refundedCents", count(invoice.disputed_at)::int as disputed
    from invoices invoice
      join subscriptions followed on followed.trader_id = invoice.trader_id and followed.id = invoice.subscription_id
    where invoice.amount_paid_cents > 0
      and case when ${side === 'trader'} then invoice.trader_id else followed.subscriber_id end = ${userId}::uuid
    group by invoice.currency order by invoice.currency`.execute(db)
  return rows
}

/** Debts at Stripe that are open, with the person at either end, by kind. */
export async function countOpenDebts(
  db: Queryable,
  userId: string,
): Promise<{ kind: string; count: number }[]> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select kind, count(*)::int as count from debts
    where state = 'open' and (trader_id = ${userId} or subscriber_id = ${userId}) group by kind order by kind`.execute(
    db,
  )
  return rows
}
