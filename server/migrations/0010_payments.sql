-- Which Stripe account this database belongs to. One row: rows that name ids of one account mean nothing on another, so
-- a process whose key opens another account (or another mode) refuses to start.
create table stripe_platform (
  only_row boolean primary key default true check (only_row),
  account_id text not null,
  livemode boolean not null,
  portal_configuration_id text,
  -- The newest event that the hourly look at Stripe's own list has seen (its time of creation).
  events_seen_until timestamptz,
  created_at timestamptz not null
);

alter table customers
  -- Part of the idempotency key: raised when Stripe has lost the customer, so that a new one can be made.
  add column generation int not null default 0,
  -- When the set-up is tried again by itself; null while nobody waits for it.
  add column retry_at timestamptz,
  add column tries int not null default 0;
create index customers_waiting on customers (retry_at) where retry_at is not null;

-- Whose customer an id once was: what Stripe says of it later (its subscriptions end) still has an owner.
create table former_customers (
  stripe_customer_id text primary key,
  user_id uuid not null references users on delete cascade,
  forgotten_at timestamptz not null
);

alter table payout_accounts
  add column generation int not null default 0,
  add column country text,
  -- Where onboarding stands, beyond what the screens tell apart.
  add column state text not null default 'incomplete'
    check (state in ('incomplete', 'under_review', 'restricted', 'ready', 'closed')),
  -- Since when transfers, once active, are not any more; thirty days later the subscriptions end (decision G-56).
  add column lost_at timestamptz,
  -- Raised by every write of what Stripe said: a reading that began before another was written is not written.
  add column revision int not null default 0,
  -- When the account is opened or read again by itself; null for never.
  add column look_at timestamptz,
  add column tries int not null default 0;
create index payout_accounts_waiting on payout_accounts (look_at) where look_at is not null;
update payout_accounts set state = 'ready' where transfers_status = 'active' and closed_at is null;

-- What a trader is followed for. The current price has no retired_at; subscriptions keep the one they began with.
create table trader_prices (
  trader_id uuid not null,
  stripe_price_id text not null,
  stripe_product_id text not null,
  price_cents int not null check (price_cents > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  retired_at timestamptz,
  -- Stripe does not know it any more.
  lost_at timestamptz check (lost_at is null or retired_at is not null),
  created_at timestamptz not null,
  primary key (trader_id, stripe_price_id),
  constraint trader_prices_trader foreign key (trader_id) references users on delete cascade
);
create unique index trader_prices_one_current on trader_prices (trader_id) where retired_at is null;

-- A checkout that was begun. Everything that is sent to Stripe stands here before it is sent, so repeating the call with
-- the same key says the same. At most one is open a pair: two clicks lead to one page.
create table checkout_sessions (
  trader_id uuid not null,
  id uuid not null,
  subscriber_id uuid not null,
  stripe_session_id text,
  url text,
  state text not null check (state in ('open', 'completed', 'expired', 'failed')),
  stripe_price_id text not null,
  price_cents int not null check (price_cents > 0),
  currency text not null,
  fee_percent numeric(4, 2) not null check (fee_percent between 0 and 50),
  created_at timestamptz not null,
  -- When somebody looks by themselves whether it was paid or is over.
  look_at timestamptz,
  settled_at timestamptz,
  primary key (trader_id, id),
  unique (trader_id, stripe_session_id),
  constraint checkout_sessions_trader foreign key (trader_id) references users on delete cascade,
  constraint checkout_sessions_subscriber foreign key (subscriber_id) references users on delete cascade,
  constraint checkout_sessions_never_to_oneself check (subscriber_id <> trader_id),
  check ((stripe_session_id is null) = (url is null)),
  check ((state = 'open') = (settled_at is null)),
  check ((state = 'open') = (look_at is not null))
);
create unique index checkout_sessions_one_open_a_pair on checkout_sessions (trader_id, subscriber_id) where state = 'open';
create index checkout_sessions_waiting on checkout_sessions (look_at) where look_at is not null;

alter table subscriptions
  -- The fee that it began with, in percent; null for one that was not bought.
  add column fee_percent numeric(4, 2),
  add column past_due_since timestamptz,
  -- Collection stopped because the trader lost their payouts; nothing is charged while it is set.
  add column paused_since timestamptz,
  -- Why it ended, as far as the product itself ended it.
  add column end_reason text check (end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself'));
-- The webhook of a subscription names it by Stripe's id alone.
create index subscriptions_of_stripe on subscriptions (stripe_subscription_id)
  where stripe_subscription_id is not null;

-- What was paid, as Stripe last said; amounts in cents of `currency`.
create table invoices (
  trader_id uuid not null,
  invoice_id text not null,
  subscription_id uuid not null,
  status text not null,
  amount_due_cents int not null,
  amount_paid_cents int not null,
  refunded_cents int not null default 0,
  -- What of it went on to the trader's account, and what of that was taken back.
  transferred_cents int not null default 0,
  reversed_cents int not null default 0,
  fee_cents int not null default 0,
  fee_refunded_cents int not null default 0,
  currency text not null,
  period_start timestamptz,
  period_end timestamptz,
  charge_id text,
  payment_intent_id text,
  disputed_at timestamptz,
  dispute_status text,
  created_at timestamptz not null,
  synced_at timestamptz not null,
  primary key (trader_id, invoice_id),
  foreign key (trader_id, subscription_id) references subscriptions (trader_id, id) on delete cascade
);
create index invoices_of_subscription on invoices (trader_id, subscription_id);

-- Webhooks, by Stripe's id of the event: each is done once, and what failed is done again.
create table stripe_events (
  event_id text primary key,
  endpoint text not null check (endpoint in ('platform', 'accounts')),
  type text not null,
  -- The object that changed. Nothing else of the event is kept: the object is read again when it is dealt with.
  object_id text,
  api_version text,
  state text not null check (state in ('received', 'done', 'ignored')),
  attempts int not null default 0,
  error text,
  received_at timestamptz not null,
  -- When it is dealt with again by itself, should its job have been lost or have failed.
  due_at timestamptz,
  processed_at timestamptz,
  check ((state = 'received') = (due_at is not null))
);
create index stripe_events_waiting on stripe_events (due_at) where due_at is not null;
create index stripe_events_age on stripe_events (received_at);

-- Mails that money causes: one a cause and person, whatever runs twice.
create table money_mails (
  id uuid primary key,
  kind text not null
    check (kind in (
      'payment_problem', 'subscription_ended', 'double_payment_returned', 'trader_unavailable', 'payouts_lost'
    )),
  user_id uuid not null references users on delete cascade,
  -- What happened, in Stripe's ids: the same cause never mails the same person twice.
  cause text not null,
  -- What the mail says; the address is looked up when it is sent.
  facts jsonb not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  unique (kind, user_id, cause)
);
