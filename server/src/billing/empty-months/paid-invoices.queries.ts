import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type InvoiceKey = { traderId: string; invoiceId: string }

/** A payment whose months are judged, and the subscription that it was for. */
export type PaidInvoice = InvoiceKey & {
  subscriberId: string
  subscriptionId: string
  stripeId: string
  mailNo: number
  /** When the first paid period of the subscription began. */
  anchor: Date
  endedAt: Date | null
  currency: string
  paidCents: number
  refundedCents: number
  /** Of that, what came back for empty months of it. */
  monthsCents: number
  periodStart: Date
  periodEnd: Date
  /** Of its months, how many are judged. */
  judged: number
}

const COLUMNS = sql`invoice.trader_id as "traderId", invoice.invoice_id as "invoiceId", followed.subscriber_id as "subscriberId",
    followed.id as "subscriptionId", followed.stripe_subscription_id as "stripeId", followed.mail_no as "mailNo",
    coalesce(followed.trial_ends_at, followed.started_at) as anchor,
    followed.ended_at as "endedAt", invoice.currency, invoice.amount_paid_cents as "paidCents",
    invoice.refunded_cents as "refundedCents", invoice.period_start as "periodStart", invoice.period_end as "periodEnd",
    invoice.months_judged as judged,
    coalesce((select sum(amount_cents) from debts where trader_id = invoice.trader_id and kind = 'empty_month'
      and subject = invoice.invoice_id and state = 'settled'), 0)::int as "monthsCents"`

const FOLLOWED = sql`join subscriptions followed on followed.trader_id = invoice.trader_id and followed.id = invoice.subscription_id
    and followed.stripe_subscription_id is not null`

/** Payments that nobody has dated yet; `invoices_to_date` finds them. */
const UNDATED = sql`invoice.judge_at is null and invoice.months_judged = 0 and invoice.status = 'paid'
    and invoice.amount_paid_cents > 0`

const HAS_PERIOD = sql`invoice.period_start is not null and invoice.period_end is not null`

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** A payment in a list. @property at the list's order, with every digit that the database has */
export type Place = InvoiceKey & { at: string }

/** A part of a list. @property after the last payment of the part before; null for the first part */
type Part = { after: Place | null; now: Date; limit: number }

/** Payments of which a month is to be judged by now. */
export async function listToJudge(db: Queryable, { after, limit, now }: Part): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select invoice.trader_id as "traderId", invoice.invoice_id as "invoiceId", invoice.judge_at::text as at from invoices invoice
    where invoice.judge_at <= ${now} and ${isBehind(sql`invoice.judge_at`, after)}
    order by invoice.judge_at, invoice.trader_id, invoice.invoice_id limit ${limit}`.execute(db)
  return rows
}

/** Payments whose first month is to be dated. */
export async function listToDate(db: Queryable, { after, limit }: Part): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select invoice.trader_id as "traderId", invoice.invoice_id as "invoiceId", invoice.created_at::text as at from invoices invoice ${FOLLOWED}
    where ${UNDATED} and ${HAS_PERIOD} and ${isBehind(sql`invoice.created_at`, after)}
    order by invoice.created_at, invoice.trader_id, invoice.invoice_id limit ${limit}`.execute(db)
  return rows
}

function isBehind(order: RawBuilder<unknown>, after: Place | null): RawBuilder<unknown> {
  const { at, invoiceId, traderId } = after ?? { at: '-infinity', invoiceId: '', traderId: NOBODY }
  return sql`(${order}, invoice.trader_id, invoice.invoice_id) > (${at}::timestamptz, ${traderId}::uuid, ${invoiceId})`
}

/** Locks one of them; null where another worker has it in hand, or is done with it. */
export async function lockToJudge(tx: Queryable, key: InvoiceKey, now: Date): Promise<PaidInvoice | null> {
  const { rows } = await sql<PaidInvoice>`
    select ${COLUMNS} from invoices invoice ${FOLLOWED}
    where invoice.trader_id = ${key.traderId} and invoice.invoice_id = ${key.invoiceId} and ${HAS_PERIOD}
      and (invoice.judge_at <= ${now} or ${UNDATED})
    for update of invoice skip locked`.execute(tx)
  return rows[0] ?? null
}

/** Notes how many months are judged, and when the next one is; null once all are. */
export async function storeJudged(
  tx: Queryable,
  key: InvoiceKey,
  { judgeAt, judged }: { judged: number; judgeAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('invoices')
    .set({ months_judged: judged, judge_at: judgeAt })
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .execute()
}

/** Traders of whom months are judged in a span that they have not been told of; those who are suspended or gone are left out. */
export async function listToWarn(
  db: Queryable,
  { after, until }: { after: Date; until: Date },
): Promise<{ traderId: string; username: string }[]> {
  const { rows } = await sql<{ traderId: string; username: string }>`
    select distinct account.user_id as "traderId", account.username from invoices invoice
    join accounts account on account.user_id = invoice.trader_id and account.username is not null
    join users person on person.id = account.user_id and person.inactive_since is null
    where invoice.judge_at > ${after} and invoice.judge_at <= ${until} and invoice.months_warned <= invoice.months_judged
    order by 1`.execute(db)
  return rows
}

/** These months of one trader, of subscriptions in one of these states; locked. */
export async function lockToWarn(
  tx: Queryable,
  {
    after,
    statuses,
    traderId,
    until,
  }: { traderId: string; after: Date; until: Date; statuses: readonly string[] },
): Promise<PaidInvoice[]> {
  const { rows } = await sql<PaidInvoice>`
    select ${COLUMNS} from invoices invoice ${FOLLOWED}
    where invoice.trader_id = ${traderId} and invoice.judge_at > ${after} and invoice.judge_at <= ${until}
      and invoice.months_warned <= invoice.months_judged and followed.status = any(${statuses}::text[])
    order by invoice.judge_at, invoice.invoice_id
    for update of invoice`.execute(tx)
  return rows
}

/** Notes that a trader needs to be told no more of the months that are judged next. */
export async function markWarned(tx: Queryable, traderId: string, invoiceIds: string[]): Promise<void> {
  await sql`update invoices set months_warned = months_judged + 1
    where trader_id = ${traderId} and invoice_id = any(${invoiceIds}::text[])`.execute(tx)
}

/** Empty months of a trader that went back and that they have not been told of, by currency. */
export type Untold = { currency: string; amountCents: number; months: number }

/** Traders of whom months went back, and who have not been told. */
export async function listUntold(db: Queryable): Promise<{ traderId: string; username: string | null }[]> {
  const { rows } = await sql<{ traderId: string; username: string | null }>`
    select distinct debt.trader_id as "traderId", account.username from debts debt
    left join accounts account on account.user_id = debt.trader_id
    where debt.kind = 'empty_month' and debt.state = 'settled' and debt.amount_cents > 0 and debt.told_at is null
    order by 1`.execute(db)
  return rows
}

/** Marks them as told. @returns what there is to say */
export async function takeUntold(tx: Queryable, traderId: string, now: Date): Promise<Untold[]> {
  const { rows } = await sql<Untold>`
    with told as (
      update debts set told_at = ${now}
      where trader_id = ${traderId} and kind = 'empty_month' and state = 'settled' and amount_cents > 0 and told_at is null
      returning currency, amount_cents
    )
    select currency, sum(amount_cents)::int as "amountCents", count(*)::int as months from told
    group by currency order by currency`.execute(tx)
  return rows
}

/** How many months went back in a span, over all traders. */
export async function countReturned(db: Queryable, since: Date, before: Date): Promise<number> {
  const { rows } = await sql<{ months: number }>`
    select count(*)::int as months from debts
    where kind = 'empty_month' and state = 'settled' and amount_cents > 0 and settled_at >= ${since} and settled_at < ${before}`.execute(
    db,
  )
  return rows[0]?.months ?? 0
}

/** Whether somebody is mailed of this cause already. */
export async function isMailed(
  tx: Queryable,
  mail: { kind: string; userId: string; cause: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', mail.kind)
    .where('user_id', '=', mail.userId)
    .where('cause', '=', mail.cause)
    .executeTakeFirst()
  return row !== undefined
}
