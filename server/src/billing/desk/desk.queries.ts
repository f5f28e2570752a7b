import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { DeskTrials, TakenOff } from '@tradepost/contract/desk'
import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** Of a trader: a row for each month in which anybody came or went. @property month as `2026-11` */
export async function listFollowerMonths(
  db: Queryable,
  traderId: string,
): Promise<{ month: string; gained: number; lost: number }[]> {
  return selectFollowerMonths(db, { traderId })
}

const selectFollowerMonths = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('trader_follower_months')
    .select([sql<string>`to_char(month, 'YYYY-MM')`.as('month'), 'gained', 'lost'])
    .where('trader_id', '=', traderId),
)

/** Of a trader: a row for each month and currency in which money came; cents may be negative. @property month as `2026-11` */
export async function listIncomeMonths(
  db: Queryable,
  traderId: string,
): Promise<{ month: string; currency: string; cents: number }[]> {
  return selectIncomeMonths(db, { traderId })
}

const selectIncomeMonths = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('trader_income_months')
    .select([sql<string>`to_char(month, 'YYYY-MM')`.as('month'), 'currency', 'cents'])
    .where('trader_id', '=', traderId)
    .orderBy('currency'),
)

/** Of a trader: the paid months that went back empty (rule G-127), a row for each currency. */
export function listReturnedMonths(
  db: Queryable,
  traderId: string,
): Promise<{ currency: string; months: number; cents: number }[]> {
  return selectReturnedMonths(db, { traderId })
}

const selectReturnedMonths = compiledQuery(
  (_db, { traderId }: { traderId: string }) => sql<{ currency: string; months: number; cents: number }>`
    select currency, count(*)::int as months, sum(amount_cents)::float8 as cents from debts
    where trader_id = ${traderId} and kind = 'empty_month' and state = 'settled' and amount_cents > 0
    group by currency order by currency`,
)

/**
 * Of a trader: the payments of which something went back or was disputed since an instant, the newest first. The share is what income
 * takes off: cents that came back from the trader, less the fee that came back to them and what they were paid again; of a taxed payment their
 * income of all of it less what is left.
 */
export function listTakenOff(
  db: Queryable,
  of: { traderId: string; since: Date; limit: number },
): Promise<(Omit<TakenOff, 'at'> & { at: Date })[]> {
  return selectTakenOff(db, of)
}

const selectTakenOff = compiledQuery(
  (_db, { limit, since, traderId }: { traderId: string; since: Date; limit: number }) => sql<
    Omit<TakenOff, 'at'> & { at: Date }
  >`
    select at, paid_cents as "paidCents", share_cents as "shareCents", currency,
      case when dispute = 'won' and share_cents = 0 then 'dispute_won' when dispute = 'lost' then 'dispute_lost'
        when dispute <> 'won' then 'disputed' when warned then 'warned' when withdrawn then 'withdrawn'
        when empty then 'empty_month' else 'returned' end as why
    from (
      select invoice.invoice_id, invoice.currency, invoice.amount_paid_cents as paid_cents, bank.dispute,
        greatest(coalesce(invoice.refunded_at, debt.last_at), bank.disputed_at) as at,
        case when invoice.tax_cents = 0 then invoice.reversed_cents - invoice.fee_refunded_cents - coalesce(debt.again_cents, 0)
          else whole.income_cents - (invoice.transferred_cents - invoice.reversed_cents - invoice.fee_cents + invoice.fee_refunded_cents
            - invoice.tax_held_cents) end as share_cents,
        debt.warned, debt.withdrawn, debt.empty
      from invoices invoice
        left join lateral (
          select invoice.dispute_status as dispute, invoice.disputed_at
          where invoice.dispute_status not like 'warning%' and invoice.dispute_status <> 'prevented'
        ) bank on true
        cross join lateral (
          -- Of a taxed payment, as trader-share.ts computes it.
          select net - (invoice.fee_cents * net * 2 + invoice.amount_paid_cents) / nullif(invoice.amount_paid_cents * 2, 0) as income_cents
          from (select (invoice.amount_paid_cents - invoice.tax_cents)::bigint as net) untaxed
        ) whole
        left join (
          select invoice_id, max(settled_at) filter (where kind <> 'transfer') as last_at,
            (sum(amount_cents) filter (where kind = 'transfer'))::int as again_cents,
            bool_or(cause like 'fraud_warning%') as warned, bool_or(cause = 'withdrawn') as withdrawn, bool_or(kind = 'empty_month') as empty
          from debts
          where trader_id = ${traderId} and state = 'settled' and kind in ('refund', 'empty_month', 'transfer') and amount_cents > 0
          group by invoice_id
        ) debt on debt.invoice_id = invoice.invoice_id
      where invoice.trader_id = ${traderId} and (invoice.refunded_cents > 0 or invoice.disputed_at is not null)
    ) one
    where (share_cents <> 0 or dispute is not null) and at >= ${since}
    order by at desc, invoice_id limit ${limit}`,
)

/** Followers with access who pay the same, under the same fee. */
export type PaidAlike = {
  priceCents: number
  /** The next renewal's cost, with what a discount takes off. */
  renewalCents: number
  currency: string
  interval: BillingInterval
  /** The tax within the next renewal, in cents, if it is taxed as the last payment was. */
  taxCents: number
  /** In percent; null where the subscription named none. */
  feePercent: number | null
  followers: number
  /** Of them, those whose subscription ends, or of whom nothing is collected. */
  ending: number
}

export function listPaidAlike(
  db: Queryable,
  traderId: string,
  statuses: readonly SubscriptionStatus[],
): Promise<PaidAlike[]> {
  return selectPaidAlike(db, { traderId, statuses })
}

const selectPaidAlike = compiledQuery(
  (
    _db,
    { statuses, traderId }: { traderId: string; statuses: readonly SubscriptionStatus[] },
  ) => sql<PaidAlike>`
    select price_cents as "priceCents", coalesce(renewal_cents, price_cents) as "renewalCents", currency, billing_interval as interval, fee_percent::float as "feePercent",
      coalesce(round(coalesce(renewal_cents, price_cents) * last_paid.tax_part), 0)::int as "taxCents",
      count(*)::int as followers, (count(*) filter (where cancel_at is not null or paused_since is not null))::int as ending
    from subscriptions
    left join lateral (
      select tax_cents::numeric / amount_paid_cents as tax_part from invoices
      where trader_id = ${traderId} and subscription_id = subscriptions.id and status = 'paid' and amount_paid_cents > 0
        and exists (select from invoices where trader_id = ${traderId} and tax_cents > 0)
      order by coalesce(paid_at, created_at) desc limit 1
    ) last_paid on true
    where trader_id = ${traderId} and status = any(${statuses}::text[]) and stripe_subscription_id is not null
    group by 1, 2, 3, 4, 5, 6 order by followers desc, price_cents desc, interval`,
)

/** The trials that a trader's followers were granted, by how they stand. */
export async function countTrials(db: Queryable, traderId: string): Promise<DeskTrials> {
  const [counted] = await selectTrials(db, { traderId })
  return counted ?? { began: 0, free: 0, stayed: 0, ended: 0 }
}

const selectTrials = compiledQuery(
  (_db, { traderId }: { traderId: string }) => sql<DeskTrials>`
    select count(*)::int as began, (count(*) filter (where status = 'trialing'))::int as free,
      (count(*) filter (where has_paid or status = 'active'))::int as stayed,
      (count(*) filter (where status = 'canceled' and not has_paid))::int as ended
    from (
      select one.status, exists (
        select from invoices where trader_id = one.trader_id and subscription_id = one.id and amount_paid_cents > 0
      ) as has_paid
      from trials trial join subscriptions one on one.stripe_subscription_id = trial.stripe_subscription_id
      where trial.trader_id = ${traderId} and trial.granted
    ) asked`,
)
