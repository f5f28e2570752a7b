-- A price that looks wrong opens nothing and settles nothing until it is known to be right (decision 0076).
create table suspect_prices (
  symbol text primary key check (symbol = upper(symbol)),
  price numeric(18, 6) not null check (price > 0),
  -- Since when the provider says it.
  since timestamptz not null,
  -- The last day, in UTC, on which the operator was told.
  told_on date,
  -- A price that was found to be right, and from when on it counts as one that is known.
  accepted_price numeric(18, 6) check (accepted_price > 0),
  accepted_at timestamptz,
  check ((accepted_price is null) = (accepted_at is null))
);

-- The price is the last one that was plausible: a close at it is unsettled, and nothing is opened.
alter table price_previews add column suspect boolean not null default false;
