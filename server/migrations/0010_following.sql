-- The results of following somebody (ADR 0117).

-- The price of a position at the moment at which somebody began to follow its trader, while it was open. The first moment counts: a row
-- stays as it was written.
create table following_prices (
  trader_id uuid not null,
  subscriber_id uuid not null,
  position_id uuid not null,
  -- The ticker of that moment: a retraction names it.
  symbol text not null check (symbol = upper(symbol)),
  -- Of the last trade before then, in the shares of its day. Null where no quote was at hand: the last close before `priced_at` counts.
  price numeric(18, 6) check (price > 0),
  -- Of the trade; without a price, when following began.
  priced_at timestamptz not null,
  primary key (trader_id, subscriber_id, position_id),
  constraint following_prices_position foreign key (trader_id, position_id)
    references positions (trader_id, id) on delete cascade
);

-- The mail before a renewal: a person's link that stops it, made with their first one, and since when it is stopped.
create table renewal_mails (
  user_id uuid primary key references users on delete cascade,
  unsubscribe_token text not null unique,
  stopped_at timestamptz
);

-- For the mails of a day.
create index subscriptions_renewing on subscriptions (current_period_end)
  where entitled_from_event is not null and entitled_until_event is null and cancel_at is null;
