/** A person's money: as somebody who follows, and as a trader; of followers no name and no address. */
import { sql } from 'kysely'
import { pageById, pageByText } from './person-page.ts'

export const selectFollowing = pageById({
  columns: sql`follow.id, account.username as trader, follow.status, follow.price_cents, follow.currency, follow.billing_interval, follow.started_at, follow.trial_ends_at,
    follow.current_period_end, follow.cancel_at, follow.past_due_since, follow.paused_since, follow.ended_at, follow.end_reason,
    follow.entitled_from_event, follow.entitled_until_event, follow.earlier_windows::text as earlier_windows, follow.mail_muted_at,
    follow.push_muted_at, follow.mails_unknown_until_event, follow.unmailed_until_event, follow.stripe_subscription_id, follow.fee_percent, follow.synced_at,
    follow.kept_cents, follow.kept_since, follow.agreed_cents, follow.agreed_at, follow.proposed_at, follow.agreed_from, follow.charged_from, follow.known_cents,
    follow.renewal_cents, follow.renewal_cents_until, follow.stripe_promotion_code_id`,
  from: sql`subscriptions follow left join accounts account on account.user_id = follow.trader_id`,
  whose: ({ userId }) => sql`follow.subscriber_id = ${userId}`,
  key: sql`follow.id`,
})

const PAYMENT = sql`invoice.invoice_id, invoice.status, invoice.amount_due_cents, invoice.amount_paid_cents, invoice.refunded_cents,
    invoice.tax_cents, invoice.tax_liable, invoice.currency, invoice.period_start, invoice.period_end, invoice.created_at, invoice.paid_at, invoice.disputed_at,
    invoice.dispute_status, invoice.warned_at, invoice.refunded_at, invoice.synced_at`

export const selectPayments = pageByText({
  columns: sql`account.username as trader, invoice.subscription_id, ${PAYMENT}, invoice.charge_id, invoice.payment_intent_id`,
  from: sql`subscriptions follow
    join invoices invoice on invoice.trader_id = follow.trader_id and invoice.subscription_id = follow.id
    left join accounts account on account.user_id = follow.trader_id`,
  whose: ({ userId }) => sql`follow.subscriber_id = ${userId}`,
  key: sql`invoice.invoice_id`,
  made: sql`invoice.created_at`,
})

export const selectEarnings = pageByText({
  columns: sql`${PAYMENT}, invoice.transferred_cents, invoice.reversed_cents, invoice.fee_cents, invoice.fee_refunded_cents,
    invoice.tax_held_cents`,
  from: sql`invoices invoice`,
  whose: ({ userId }) => sql`invoice.trader_id = ${userId}`,
  key: sql`invoice.invoice_id`,
  made: sql`invoice.created_at`,
})

const DEBT = sql`debt.kind, debt.cause, debt.invoice_id, debt.amount_cents, debt.currency, debt.state, debt.created_at, debt.settled_at`

export const selectRefunds = pageById({
  columns: sql`account.username as trader, ${DEBT}, debt.subject, debt.stripe_subscription_id`,
  from: sql`debts debt left join accounts account on account.user_id = debt.trader_id`,
  whose: ({ userId }) => sql`debt.subscriber_id = ${userId}`,
  key: sql`debt.id`,
})

export const selectTransfers = pageById({
  columns: DEBT,
  from: sql`debts debt`,
  whose: ({ userId }) => sql`debt.trader_id = ${userId} and debt.kind in ('reversal', 'transfer', 'tax')`,
  key: sql`debt.id`,
})

export const selectCheckouts = pageById({
  columns: sql`account.username as trader, checkout.state, checkout.price_cents, checkout.currency, checkout.billing_interval, checkout.discount_code_id, checkout.trial_days, checkout.terms_version, checkout.tax_liable, checkout.created_at,
    checkout.settled_at, checkout.stripe_session_id`,
  from: sql`checkout_sessions checkout left join accounts account on account.user_id = checkout.trader_id`,
  whose: ({ userId }) => sql`checkout.subscriber_id = ${userId}`,
  key: sql`checkout.id`,
})

export const selectConsents = pageById({
  columns: sql`consent.id, account.username as trader, consent.subscription_id, consent.terms_version, consent.sentence,
    consent.accepted_at, consent.stripe_session_id`,
  from: sql`consents consent left join accounts account on account.user_id = consent.trader_id`,
  whose: ({ userId }) => sql`consent.user_id = ${userId}`,
  key: sql`consent.id`,
})

export const selectCustomers = pageByText({
  columns: sql`customer.stripe_customer_id, customer.state, customer.created_at, customer.forgotten_at`,
  from: sql`(
      select user_id, stripe_customer_id, state, created_at, null::timestamptz as forgotten_at from customers
      union all select user_id, stripe_customer_id, 'forgotten', null, forgotten_at from former_customers
    ) customer`,
  whose: ({ userId }) => sql`customer.user_id = ${userId}`,
  key: sql`coalesce(customer.stripe_customer_id, '-')`,
})

export const selectPayoutAccount = pageById({
  columns: sql`stripe_account_id, country, transfers_status, state, reason, complete_at, lost_at, rejected_at, closed_at,
    tax_ready, terms_version, terms_accepted_at, synced_at, created_at`,
  from: sql`payout_accounts`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`user_id`,
})

export const selectOwnPrices = pageById({
  columns: sql`monthly_cents, yearly_cents, currency, trial_days, changed_at, monthly_since, yearly_since, notified_until`,
  from: sql`own_prices`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`trader_id`,
})

export const selectDiscountCodes = pageById({
  columns: sql`id, code, percent_off, amount_off_cents, currency, months, max_uses, to_char(last_day, 'YYYY-MM-DD') as last_day,
    created_at, ended_at, stripe_promotion_code_id`,
  from: sql`discount_codes`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`id`,
})

/** Hashes of address and card are named, since they are kept; they say nothing without a key of the operator's. */
export const selectTrials = pageByText({
  columns: sql`account.username as trader, trial.stripe_subscription_id, trial.granted, trial.began_at, trial.decided_at,
    encode(trial.address_hmac, 'hex') as address_hmac, encode(trial.card_hmac, 'hex') as card_hmac`,
  from: sql`trials trial left join accounts account on account.user_id = trial.trader_id`,
  whose: ({ userId }) => sql`trial.user_id = ${userId}`,
  key: sql`trial.stripe_subscription_id`,
})

export const selectPrices = pageByText({
  columns: sql`price_cents, currency, billing_interval, created_at, retired_at, lost_at, stripe_price_id, stripe_product_id`,
  from: sql`trader_prices`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`stripe_price_id`,
})

/** Months are counted and name nobody. */
export const selectFollowerMonths = pageByText({
  columns: sql`to_char(month, 'YYYY-MM-DD') as month, gained, lost`,
  from: sql`trader_follower_months`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`to_char(month, 'YYYY-MM-DD')`,
})

export const selectIncomeMonths = pageByText({
  columns: sql`to_char(month, 'YYYY-MM-DD') as month, currency, cents`,
  from: sql`trader_income_months`,
  whose: ({ userId }) => sql`trader_id = ${userId}`,
  key: sql`(to_char(month, 'YYYY-MM-DD') || currency)`,
})
