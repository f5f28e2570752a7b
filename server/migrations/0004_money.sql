-- Accounts at Stripe, subscriptions, payments, and the months of a trader's desk.
-- `lease_owner` is the worker whose database session holds the advisory lock of this number (see worker_numbers): rows that wait for their
-- time are leased by workers themselves (ADR 0107).

-- Accounts at Stripe

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

create table payout_accounts (
  user_id uuid primary key references users on delete cascade,
  stripe_account_id text unique,
  -- Part of the idempotency key: raised when an account is closed, so that a new one can be made.
  generation int not null default 0,
  country text,
  -- Complete while the account's stripe_transfers capability is active (rule G-29).
  transfers_status text not null default 'pending',
  -- Where onboarding stands, beyond what the screens tell apart.
  state text not null default 'incomplete'
    check (state in ('incomplete', 'under_review', 'restricted', 'ready', 'closed')),
  reason text,
  complete_at timestamptz,
  -- Since when transfers, once active, are not any more; thirty days later the subscriptions end (rule G-56).
  lost_at timestamptz,
  -- When an account was first seen rejected, and its trader and the operator were told; stays, so that they are told once.
  rejected_at timestamptz,
  closed_at timestamptz,
  terms_version text,
  terms_accepted_at timestamptz,
  synced_at timestamptz,
  -- Raised by every write of what Stripe said: a reading that began before another was written is not written.
  revision int not null default 0,
  -- When the account is opened or read again by itself; null for never.
  look_at timestamptz,
  tries int not null default 0,
  lease_owner int,
  leased_at timestamptz,
  created_at timestamptz not null
);
create index payout_accounts_waiting on payout_accounts (look_at) where look_at is not null;

create table customers (
  user_id uuid primary key references users on delete cascade,
  stripe_customer_id text unique,
  -- Part of the idempotency key: raised when Stripe has lost the customer, so that a new one can be made.
  generation int not null default 0,
  state text not null check (state in ('pending', 'ready')),
  -- When the set-up is tried again by itself; null while nobody waits for it.
  retry_at timestamptz,
  tries int not null default 0,
  lease_owner int,
  leased_at timestamptz,
  created_at timestamptz not null,
  check ((state = 'ready') = (stripe_customer_id is not null))
);
create index customers_waiting on customers (retry_at) where retry_at is not null;

-- Former ids of customers with their people: a later message of Stripe about one (its subscriptions end) still has an owner.
create table former_customers (
  stripe_customer_id text primary key,
  user_id uuid not null references users on delete cascade,
  forgotten_at timestamptz not null
);

-- Prices for following a trader. The current price has no retired_at; subscriptions keep the one they began with.
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

-- Subscriptions

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
  lease_owner int,
  leased_at timestamptz,
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

-- A person who follows a trader. Entitlement is frozen by event numbers: a subscription hears of event e when
--   (entitled_from_event < e and (entitled_until_event is null or entitled_until_event >= e)) or earlier_windows @> e.
-- The pair is the newest window; a subscription that was lost and comes back keeps the ones before in earlier_windows,
-- because the mails of an event committed then may still be on their way (retries last a day): forgetting the window
-- would lose them, and stretching it would tell of events that nobody had paid for.
create table subscriptions (
  trader_id uuid not null,
  id uuid not null,
  -- Place in the trader's mailing order, drawn from the trader's head; never changes.
  mail_no bigint not null,
  subscriber_id uuid not null,
  status text not null
    check (status in ('incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled')),
  entitled_from_event bigint,
  entitled_until_event bigint,
  earlier_windows int8multirange not null default '{}',
  unsubscribe_token text not null,
  stripe_subscription_id text,
  price_cents int not null check (price_cents > 0),
  currency text not null,
  -- The fee that it began with, in percent; null for one that was not bought.
  fee_percent numeric(4, 2),
  current_period_end timestamptz,
  cancel_at timestamptz,
  past_due_since timestamptz,
  -- Collection stopped because the trader lost their payouts; nothing is charged while it is set.
  paused_since timestamptz,
  -- Each channel has a switch of its own.
  mail_muted_at timestamptz,
  push_muted_at timestamptz,
  -- A range of mails tells when they went, but not whom it passed over: who had switched the trader's mails off, was suspended or could not
  -- be mailed. When that ends, the trader's last event is noted, and of events up to it nobody is told when their mail went
  -- (note_passed_over).
  mails_unknown_until_event bigint,
  started_at timestamptz not null,
  ended_at timestamptz,
  -- Why it ended, as far as the product itself ended it.
  end_reason text check (end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid')),
  synced_at timestamptz,
  primary key (trader_id, id),
  unique (trader_id, mail_no),
  unique (trader_id, unsubscribe_token),
  unique (trader_id, stripe_subscription_id),
  constraint subscriptions_trader foreign key (trader_id) references users on delete cascade,
  constraint subscriptions_subscriber foreign key (subscriber_id) references users on delete cascade,
  constraint subscriptions_never_to_oneself check (subscriber_id <> trader_id),
  check ((status in ('active', 'trialing', 'past_due')) = (entitled_from_event is not null and entitled_until_event is null)),
  check (entitled_until_event >= entitled_from_event)
);
create unique index subscriptions_one_live_a_pair on subscriptions (trader_id, subscriber_id)
  where status in ('incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused');
create index subscriptions_of_subscriber on subscriptions (subscriber_id);
create index subscriptions_entitled on subscriptions (trader_id, mail_no) where entitled_until_event is null;
-- The webhook of a subscription names it by Stripe's id alone.
create index subscriptions_of_stripe on subscriptions (stripe_subscription_id)
  where stripe_subscription_id is not null;
-- For the look at payments that have been owed for long.
create index subscriptions_overdue on subscriptions (past_due_since) where status = 'past_due';

-- An unsubscribe link names neither trader nor subscriber: this finds them.
create table unsubscribe_tokens (
  token text primary key,
  trader_id uuid not null,
  subscription_id uuid not null
);

-- Payments

-- Payments as Stripe last said them; amounts in cents of `currency`.
create table invoices (
  trader_id uuid not null,
  invoice_id text not null,
  subscription_id uuid not null,
  status text not null,
  amount_due_cents int not null,
  amount_paid_cents int not null,
  refunded_cents int not null default 0,
  -- The part that went on to the trader's account, and the part of that which was taken back.
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
  -- When the money came; until then an invoice is dated by itself.
  paid_at timestamptz,
  synced_at timestamptz not null,
  primary key (trader_id, invoice_id),
  foreign key (trader_id, subscription_id) references subscriptions (trader_id, id) on delete cascade
);
create index invoices_of_subscription on invoices (trader_id, subscription_id);
-- A dispute names a payment, and nothing else of ours.
create index invoices_of_payment on invoices (payment_intent_id) where payment_intent_id is not null;

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
  -- When it is dealt with, and again should that have failed.
  due_at timestamptz,
  -- Since when Stripe has refused what an event asks for, in a way that does not heal by itself; the operator was mailed then.
  refused_at timestamptz,
  lease_owner int,
  leased_at timestamptz,
  processed_at timestamptz,
  check ((state = 'received') = (due_at is not null))
);
create index stripe_events_waiting on stripe_events (due_at) where due_at is not null;
create index stripe_events_age on stripe_events (received_at);

-- Decisions about money that are still to be carried out at Stripe, each a row of its own with its tries: access is
-- written with the decision, whatever Stripe answers afterwards (decision record 0026).
create table debts (
  trader_id uuid not null,
  id uuid not null,
  subscriber_id uuid not null,
  -- `end` a subscription, `void` what it still asks for, pay a `refund`, take a `reversal` from the trader, pay a `transfer`
  -- to them again, and stop or resume the `collection`.
  kind text not null check (kind in ('end', 'void', 'refund', 'reversal', 'transfer', 'collection')),
  -- Stripe's id of the subscription, and of what is to be dealt with: that subscription, an invoice, a dispute.
  stripe_subscription_id text not null,
  subject text not null,
  -- The invoice whose money moves.
  invoice_id text,
  -- Why: the reason of an ending, or the kind of what gave cause. Part of the idempotency keys.
  cause text not null,
  -- Cents that are owed or, once settled, that were moved; null while it depends on Stripe, and where no money moves.
  amount_cents int check (amount_cents >= 0),
  currency text not null,
  state text not null check (state in ('open', 'settled', 'dropped')),
  tries int not null default 0,
  -- Stripe's code for the last refusal, and since when it has been one that does not heal by itself.
  error text,
  refused_at timestamptz,
  -- When the operator was mailed about it.
  alerted_at timestamptz,
  -- When it is tried next; null once it is settled or dropped.
  due_at timestamptz,
  lease_owner int,
  leased_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  -- Why an operator dropped it.
  remark text,
  primary key (trader_id, id),
  -- Owed once, however often the cause is looked at.
  unique (trader_id, kind, subject, cause),
  constraint debts_trader foreign key (trader_id) references users on delete cascade,
  check ((state = 'open') = (due_at is not null)),
  check ((state = 'open') = (settled_at is null)),
  check ((state = 'dropped') = (remark is not null))
);
create index debts_waiting on debts (due_at) where due_at is not null;
create index debts_of_subscription on debts (trader_id, stripe_subscription_id);

-- Months of a trader's desk

-- In UTC (ADR 0056). Triggers count, so that every writer does; statement by statement, so that ten thousand rows of one statement are
-- one change of a count.

-- How many began to have access to a trader in a month, and how many lost it. A person who returns began twice.
create table trader_follower_months (
  trader_id uuid not null,
  -- Its first day.
  month date not null,
  gained int not null default 0 check (gained >= 0),
  lost int not null default 0 check (lost >= 0),
  primary key (trader_id, month),
  constraint trader_follower_months_trader foreign key (trader_id) references users on delete cascade
);

-- The trader's part of the payments of a month: passed on, less taken back, less the platform's fee. A refund
-- is taken off the month of its payment.
create table trader_income_months (
  trader_id uuid not null,
  month date not null,
  currency text not null,
  -- Of the currency's smallest unit. Negative where more was taken back than had come.
  cents bigint not null,
  primary key (trader_id, month, currency),
  constraint trader_income_months_trader foreign key (trader_id) references users on delete cascade
);

create function month_of(instant timestamptz) returns date language sql immutable
  return date_trunc('month', instant at time zone 'UTC')::date;

create function count_new_followers() returns trigger language plpgsql as $$
begin
  insert into trader_follower_months as counted (trader_id, month, gained)
  select trader_id, month_of(coalesce(synced_at, started_at)), count(*)
  from added where entitled_from_event is not null and entitled_until_event is null
  group by 1, 2 order by 1, 2
  on conflict (trader_id, month) do update set gained = counted.gained + excluded.gained;
  return null;
end $$;
create trigger count_new_followers after insert on subscriptions
  referencing new table as added for each statement execute function count_new_followers();

create function count_followers() returns trigger language plpgsql as $$
begin
  insert into trader_follower_months as counted (trader_id, month, gained, lost)
  select trader_id, month_of(at), count(*) filter (where gains), count(*) filter (where not gains)
  from (
    select later.trader_id, coalesce(later.synced_at, later.started_at) as at,
      later.entitled_from_event is not null and later.entitled_until_event is null as gains,
      earlier.entitled_from_event is not null and earlier.entitled_until_event is null as had
    from earlier join later on later.trader_id = earlier.trader_id and later.id = earlier.id
  ) change
  where gains <> had
  group by 1, 2 order by 1, 2
  on conflict (trader_id, month) do update
    set gained = counted.gained + excluded.gained, lost = counted.lost + excluded.lost;
  return null;
end $$;
create trigger count_followers after update on subscriptions
  referencing old table as earlier new table as later for each statement execute function count_followers();

create function add_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(coalesce(paid_at, created_at)), currency,
    sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents)
  from added group by 1, 2, 3
  having sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents) <> 0
  order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;
create trigger add_income after insert on invoices
  referencing new table as added for each statement execute function add_income();

create function change_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(at), currency, sum(cents)
  from (
    select trader_id, coalesce(paid_at, created_at) as at, currency,
      -(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents) as cents from earlier
    union all
    select trader_id, coalesce(paid_at, created_at), currency,
      transferred_cents - reversed_cents - fee_cents + fee_refunded_cents from later
  ) change
  group by 1, 2, 3 having sum(cents) <> 0 order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;
create trigger change_income after update on invoices
  referencing old table as earlier new table as later for each statement execute function change_income();
