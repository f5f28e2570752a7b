-- A trial of 7 or 14 days (rule G-123, ADR 0127).

-- The free days that a trader offers to new followers; null for none.
alter table own_prices add column trial_days int check (trial_days in (7, 14));
-- The free days that the page at Stripe names.
alter table checkout_sessions add column trial_days int check (trial_days in (7, 14));
-- As Stripe dates it; also once it is over.
alter table subscriptions add column trial_ends_at timestamptz;
create index subscriptions_trials on subscriptions (trial_ends_at) where status = 'trialing';

alter table subscriptions drop constraint subscriptions_end_reason_check,
  add constraint subscriptions_end_reason_check check (
    end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid', 'account_closed', 'trial_used'));

-- Each trial that was asked for, with the one decision about it. A person is an account, an address and a card; of the latter two there are
-- hashes under a key of AUTH_SECRET.
create table trials (
  stripe_subscription_id text primary key,
  trader_id uuid not null,
  user_id uuid not null,
  -- Null for somebody without an address.
  address_hmac bytea,
  -- Null where there was no card to charge.
  card_hmac bytea,
  granted boolean not null,
  -- When the subscription began, by Stripe's clock.
  began_at timestamptz not null,
  decided_at timestamptz not null,
  constraint trials_trader foreign key (trader_id) references users,
  constraint trials_user foreign key (user_id) references users
);
create index trials_of_user on trials (user_id);
create index trials_of_address on trials (address_hmac) where granted;
create index trials_of_card on trials (card_hmac) where granted;
