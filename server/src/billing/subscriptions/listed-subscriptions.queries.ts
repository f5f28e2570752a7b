import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** The most subscriptions that a list shows, the living first. */
const MOST_LISTED = 500
/** Of a statement: a list may be long. */
const LISTS_AT_ONCE = 16

/** A subscription as it is listed; instants as JavaScript reads them. */
export type ListedSubscription = {
  id: string
  username: string
  status: SubscriptionStatus
  mailEnabled: boolean
  endsAt: string | null
  /** Null while nothing is charged: the trader cannot be paid, or somebody paused it at Stripe. */
  currentPeriodEnd: string | null
  startedAt: string
  priceCents: number
  currency: string
  interval: BillingInterval
  trialEndsAt: string | null
  /** The next renewal with a discount: its cost, until when, and the code; null without one. */
  renewalCents: number | null
  renewalUntil: string | null
  discountCode: string | null
  /** When it was withdrawn from; null for any other. */
  withdrawnAt: string | null
  /** Its money that comes or came back, the oldest first; null where there is none. */
  returns: ListedReturn[] | null
  /** Its payments that a bank took back, the oldest first; null where there is none. */
  disputes: ListedDispute[] | null
  /** When its first payment came; null for one that was never paid, and for one that is over. */
  firstPaidAt: string | null
  keptCents: number | null
  keptSince: string | null
  agreedCents: number | null
  proposedAt: string | null
  agreedFrom: string | null
  chargedFrom: string | null
  periodEnd: string | null
  /** The trader's present prices; null for one who has named none, and where nothing can be agreed to. */
  named: ListedPrices | null
}

/** @property cause of the debt. @property cents null until computed. @property returnedAt null until it was asked for */
type ListedReturn = {
  why: 'withdrawn' | 'empty_month' | 'other'
  cause: string
  cents: number | null
  returnedAt: string | null
}

/** @property status Stripe's */
type ListedDispute = { paidCents: number; disputedAt: string; status: string }

/** Instants as JavaScript reads them. */
type ListedPrices = {
  monthlyCents: number
  monthlySince: string
  yearlyCents: number | null
  yearlySince: string | null
  currency: string
}

/** `state`: a hash of all that is listed, the same for the same list and for no other. */
export type ListState = {
  state: string
  /** Why mails about positions and payments are withheld, and until when, null for no end; no cause while they go out. */
  cause: string | null
  endsAt: Date | null
  /** False while mails about positions of all traders are switched off. */
  positionMails: boolean
}

const NOTHING: ListState = { state: '', cause: null, endsAt: null, positionMails: true }

/** The state of somebody's list; one statement for all who ask at once. */
export async function findListState(db: Queryable, subscriberId: string): Promise<ListState> {
  return (await lookUpStates(db, subscriberId)) ?? NOTHING
}

const lookUpStates = batchedLookup(async (db, ids: string[]) => {
  const rows = await selectStates(db, { ids })
  return new Map(rows.map(({ subscriberId, ...state }) => [subscriberId, state]))
}, LISTS_AT_ONCE)

/** Somebody's subscriptions, the living first, then the newest; with the state of this very list. */
export async function readList(
  db: Queryable,
  subscriberId: string,
): Promise<{ state: string; listed: ListedSubscription[] }> {
  const [row] = await selectList(db, { subscriberId })
  return { state: row?.state ?? '', listed: row?.listed ?? [] }
}

/** All of `asked`, with what is listed of each. */
const owned = sql`
      select one.id, coalesce(account.username, '') as username, one.status, one.mail_muted_at is null as "mailEnabled",
        one.cancel_at as "endsAt", case when one.paused_since is null then one.current_period_end end as "currentPeriodEnd",
        one.started_at as "startedAt", one.price_cents as "priceCents", one.currency, one.billing_interval as interval,
        case when one.status = 'trialing' then one.trial_ends_at end as "trialEndsAt",
        one.renewal_cents as "renewalCents", one.renewal_cents_until as "renewalUntil",
        (select discount.code from discount_codes discount where discount.trader_id = one.trader_id
          and discount.stripe_promotion_code_id = one.stripe_promotion_code_id) as "discountCode",
        case when one.end_reason = 'withdrawn' then one.ended_at end as "withdrawnAt",
        (select json_agg(json_build_object('why', why, 'cents', cents, 'cause', cause, 'returnedAt', returned_at) order by at, id) from (
          select case when kind = 'empty_month' then kind when cause = 'withdrawn' then cause else 'other' end as why, amount_cents as cents,
            cause, settled_at as returned_at, created_at as at, id::text as id
          from debts where trader_id = one.trader_id and stripe_subscription_id = one.stripe_subscription_id
            and kind in ('refund', 'empty_month') and (state = 'open' or state = 'settled' and amount_cents > 0)
          union all
          select 'other', refunded_cents - by_debts, 'by_hand', refunded_at, refunded_at, invoice_id from (
            select invoice.refunded_cents, invoice.refunded_at, invoice.invoice_id, (
              select coalesce(sum(case when state = 'open' then invoice.refunded_cents else amount_cents end), 0) from debts
              where trader_id = one.trader_id and invoice_id = invoice.invoice_id and kind in ('refund', 'empty_month') and state <> 'dropped'
            ) as by_debts
            from invoices invoice
            where invoice.trader_id = one.trader_id and invoice.subscription_id = one.id and invoice.refunded_at is not null
          ) hand where refunded_cents > by_debts
        ) back) as returns,
        (select json_agg(json_build_object('paidCents', amount_paid_cents, 'disputedAt', disputed_at, 'status', dispute_status)
            order by disputed_at, invoice_id)
          from invoices where trader_id = one.trader_id and subscription_id = one.id
            and dispute_status not like 'warning%' and dispute_status <> 'prevented') as disputes,
        case when one.status <> 'canceled' and one.stripe_subscription_id is not null then
          (select min(coalesce(paid_at, created_at)) from invoices where trader_id = one.trader_id and subscription_id = one.id
            and status = 'paid' and amount_paid_cents > 0) end as "firstPaidAt",
        one.kept_cents as "keptCents", one.kept_since as "keptSince", one.agreed_cents as "agreedCents",
        one.proposed_at as "proposedAt", one.agreed_from as "agreedFrom", one.charged_from as "chargedFrom",
        one.current_period_end as "periodEnd",
        case when one.status in ('active', 'trialing', 'past_due') and one.cancel_at is null and one.stripe_subscription_id is not null
          then (select json_build_object('monthlyCents', monthly_cents, 'monthlySince', monthly_since, 'yearlyCents', yearly_cents,
            'yearlySince', yearly_since, 'currency', currency) from own_prices where trader_id = one.trader_id) end as named
      from subscriptions one left join accounts account on account.user_id = one.trader_id where one.subscriber_id = asked.id`

/** Their order on the list follows from what they are. */
const state = sql<string>`(
      select coalesce(encode(sha256(convert_to(string_agg(own::text, ',' order by own.id), 'UTF8')), 'base64'), '')
      from (${owned}) own
    )`

const selectStates = compiledQuery(
  (_db, { ids }: { ids: string[] }) => sql<ListState & { subscriberId: string }>`
    select asked.id as "subscriberId", ${state} as state, suppression.cause, suppression.ends_at as "endsAt",
      person.position_mails_off_at is null as "positionMails"
    from unnest(${ids}::uuid[]) asked (id) left join suppressions suppression on suppression.user_id = asked.id
      left join users person on person.id = asked.id`,
)

const selectList = compiledQuery(
  (_db, { subscriberId }: { subscriberId: string }) => sql<{
    state: string
    listed: ListedSubscription[]
  }>`
    select ${state} as state, (
      select coalesce(json_agg(shown order by shown.place), '[]') from (
        select row_number() over (order by own.status = 'canceled', own."startedAt" desc, own.id desc) as place, own.*
        from (${owned}) own order by place limit ${sql.lit(MOST_LISTED)}
      ) shown
    ) as listed
    from (select ${subscriberId}::uuid as id) asked`,
)
