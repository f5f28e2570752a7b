import { type Columns, type ExportTable, tableById, tableByText } from './export-table.ts'
import {
  selectCheckouts,
  selectConsents,
  selectCustomers,
  selectDiscountCodes,
  selectEarnings,
  selectFollowerMonths,
  selectFollowing,
  selectIncomeMonths,
  selectOwnPrices,
  selectPayments,
  selectPayoutAccount,
  selectPrices,
  selectRefunds,
  selectTransfers,
  selectTrials,
} from './money.queries.ts'

const PAYMENT: Columns = {
  ...{ invoice_id: 'text', status: 'text', amount_due_cents: 'count', amount_paid_cents: 'count' },
  ...{
    refunded_cents: 'count',
    tax_cents: 'count',
    tax_liable: 'text?',
    currency: 'text',
    period_start: 'instant?',
    period_end: 'instant?',
  },
  ...{ created_at: 'instant', paid_at: 'instant?', disputed_at: 'instant?', dispute_status: 'text?' },
  ...{ warned_at: 'instant?', refunded_at: 'instant?' },
  synced_at: 'instant',
}
const DEBT: Columns = {
  ...{ kind: 'text', cause: 'text', invoice_id: 'text?', amount_cents: 'count?', currency: 'text' },
  ...{ state: 'text', created_at: 'instant', settled_at: 'instant?' },
}

export const moneyTables: readonly ExportTable[] = [
  tableById({
    name: 'following',
    holds: 'Whom you follow and followed, from when to when, and at which price.',
    columns: {
      ...{ id: 'id', trader: 'text?', status: 'text', price_cents: 'count', currency: 'text' },
      ...{
        billing_interval: 'text',
        started_at: 'instant',
        trial_ends_at: 'instant?',
        current_period_end: 'instant?',
        cancel_at: 'instant?',
      },
      ...{ past_due_since: 'instant?', paused_since: 'instant?', ended_at: 'instant?', end_reason: 'text?' },
      ...{ entitled_from_event: 'count?', entitled_until_event: 'count?', earlier_windows: 'text' },
      ...{ mail_muted_at: 'instant?', push_muted_at: 'instant?', mails_unknown_until_event: 'count?' },
      unmailed_until_event: 'count?',
      ...{ stripe_subscription_id: 'text?', fee_percent: 'decimal?', synced_at: 'instant?' },
      ...{ kept_cents: 'count?', kept_since: 'instant?', agreed_cents: 'count?', agreed_at: 'instant?' },
      ...{
        proposed_at: 'instant?',
        agreed_from: 'instant?',
        charged_from: 'instant?',
        known_cents: 'count?',
      },
      ...{ renewal_cents: 'count?', renewal_cents_until: 'instant?', stripe_promotion_code_id: 'text?' },
    },
    select: selectFollowing,
  }),
  tableByText({
    name: 'payments',
    holds: 'What you were charged for following, paid, and got back.',
    columns: {
      ...{ trader: 'text?', subscription_id: 'id', ...PAYMENT },
      ...{ charge_id: 'text?', payment_intent_id: 'text?' },
    },
    select: selectPayments,
  }),
  tableById({
    name: 'refunds',
    holds: 'What was decided about your payments and subscriptions: endings, refunds, pauses.',
    columns: { trader: 'text?', ...DEBT, subject: 'text', stripe_subscription_id: 'text' },
    select: selectRefunds,
  }),
  tableById({
    name: 'checkouts',
    holds: 'Payment pages that you opened.',
    columns: {
      ...{ trader: 'text?', state: 'text', price_cents: 'count', currency: 'text', billing_interval: 'text' },
      ...{ discount_code_id: 'id?', trial_days: 'count?', terms_version: 'text?', tax_liable: 'text?' },
      ...{ created_at: 'instant', settled_at: 'instant?', stripe_session_id: 'text?' },
    },
    select: selectCheckouts,
  }),
  tableById({
    name: 'consents',
    holds: 'What you agreed to before you paid, word for word.',
    columns: {
      ...{ id: 'id', trader: 'text?', subscription_id: 'id', terms_version: 'text', sentence: 'text' },
      ...{ accepted_at: 'instant', stripe_session_id: 'text' },
    },
    select: selectConsents,
  }),
  tableByText({
    name: 'trials',
    holds:
      'Trials that you asked for, and whether you got them; with hashes of your address and card, by which nobody gets a second one.',
    columns: {
      ...{ trader: 'text?', stripe_subscription_id: 'text', granted: 'flag' },
      ...{ began_at: 'instant', decided_at: 'instant', address_hmac: 'text?', card_hmac: 'text?' },
    },
    select: selectTrials,
  }),
  tableByText({
    name: 'customers',
    holds: 'How Stripe calls you as somebody who pays. Your card is known to Stripe alone.',
    columns: { stripe_customer_id: 'text?', state: 'text', created_at: 'instant?', forgotten_at: 'instant?' },
    select: selectCustomers,
  }),
  tableById({
    name: 'payout_account',
    holds: 'What we keep of your payout account at Stripe. Your bank account is known to Stripe alone.',
    columns: {
      ...{ stripe_account_id: 'text?', country: 'text?', transfers_status: 'text', state: 'text' },
      ...{ reason: 'text?', complete_at: 'instant?', lost_at: 'instant?', rejected_at: 'instant?' },
      ...{ closed_at: 'instant?', tax_ready: 'flag?', terms_version: 'text?', terms_accepted_at: 'instant?' },
      ...{ synced_at: 'instant?', created_at: 'instant' },
    },
    select: selectPayoutAccount,
  }),
  tableByText({
    name: 'earnings',
    holds: 'What your followers paid, and what of it came to you. Who they are is theirs.',
    columns: {
      ...PAYMENT,
      ...{
        transferred_cents: 'count',
        reversed_cents: 'count',
        fee_cents: 'count',
        fee_refunded_cents: 'count',
        tax_held_cents: 'count',
      },
    },
    select: selectEarnings,
  }),
  tableById({
    name: 'transfers',
    holds: 'What was taken back from your earnings, or paid to you again.',
    columns: DEBT,
    select: selectTransfers,
  }),
  tableById({
    name: 'own_prices',
    holds: 'The prices that you named, of a month and of a year, and the free days that you offer before.',
    columns: {
      ...{ monthly_cents: 'count', yearly_cents: 'count?', currency: 'text', trial_days: 'count?' },
      ...{
        changed_at: 'instant',
        monthly_since: 'instant',
        yearly_since: 'instant?',
        notified_until: 'instant?',
      },
    },
    select: selectOwnPrices,
  }),
  tableById({
    name: 'discount_codes',
    holds: 'Your codes, and what each takes off.',
    columns: {
      ...{ id: 'id', code: 'text', percent_off: 'count?', amount_off_cents: 'count?', currency: 'text' },
      ...{ months: 'count?', max_uses: 'count?', last_day: 'day?', created_at: 'instant' },
      ...{ ended_at: 'instant?', stripe_promotion_code_id: 'text?' },
    },
    select: selectDiscountCodes,
  }),
  tableByText({
    name: 'prices',
    holds: 'What following you costs and did cost.',
    columns: {
      ...{ price_cents: 'count', currency: 'text', billing_interval: 'text' },
      ...{ created_at: 'instant', retired_at: 'instant?' },
      ...{ lost_at: 'instant?', stripe_price_id: 'text', stripe_product_id: 'text' },
    },
    select: selectPrices,
  }),
  tableByText({
    name: 'follower_months',
    holds: 'How many began and stopped to follow you, by month.',
    columns: { month: 'day', gained: 'count', lost: 'count' },
    select: selectFollowerMonths,
  }),
  tableByText({
    name: 'income_months',
    holds: 'What came in, by month.',
    columns: { month: 'day', currency: 'text', cents: 'count' },
    select: selectIncomeMonths,
  }),
]
