-- An operator takes back all that was recorded of a glitch (decision 0078): the prices of a symbol within a span of time.
create table price_retractions (
  id uuid primary key,
  symbol text not null check (symbol = upper(symbol)),
  -- Both ends are part of the span.
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- What stands in place of each of them.
  price numeric(18, 6) not null check (price > 0),
  -- Why, as people read it.
  reason text not null check (char_length(reason) between 1 and 500),
  retracted_at timestamptz not null,
  unique (symbol, from_at, to_at),
  check (from_at <= to_at)
);
create index price_retractions_told on price_retractions (retracted_at);

-- Of a price that was taken back with others: people are mailed once about all of them, and not of this event.
alter table position_adjustments add column retraction_id uuid;
create index position_adjustments_of_retraction on position_adjustments (retraction_id, trader_id)
  where retraction_id is not null;
