-- Who follows whom. Entitlement is frozen by event numbers: a subscription hears of event e when
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
  current_period_end timestamptz,
  cancel_at timestamptz,
  mail_muted_at timestamptz,
  started_at timestamptz not null,
  ended_at timestamptz,
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

-- An unsubscribe link names neither trader nor subscriber: this finds them.
create table unsubscribe_tokens (
  token text primary key,
  trader_id uuid not null,
  subscription_id uuid not null
);
