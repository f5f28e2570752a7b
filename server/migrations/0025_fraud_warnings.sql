-- A payment that its card network warns of goes back, and its subscription ends (rule G-128, ADR 0133).

-- `fraud_warning`: the card network warned of a payment for it.
alter table subscriptions drop constraint subscriptions_end_reason_check,
  add constraint subscriptions_end_reason_check check (
    end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid', 'account_closed', 'trial_used',
      'withdrawn', 'left', 'fraud_warning'));

-- When the card network first warned of the payment, as Stripe dates it.
alter table invoices add column warned_at timestamptz;

-- Warnings, disputes and payments are counted by the month.
create index invoices_warned on invoices (warned_at) where warned_at is not null;
create index invoices_disputed on invoices (disputed_at) where disputed_at is not null;
create index invoices_paid on invoices (paid_at) where status = 'paid' and amount_paid_cents > 0;
