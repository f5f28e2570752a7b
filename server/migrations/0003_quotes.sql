-- A previewed price: single use, bound to the trader, the symbol and the quote (decision G-09).
create table price_previews (
  trader_id uuid not null,
  id uuid not null,
  key_sha256 bytea not null,
  symbol text not null check (symbol = upper(symbol)),
  price numeric(18, 6) not null check (price > 0),
  quoted_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (trader_id, id),
  constraint price_previews_trader foreign key (trader_id) references users on delete cascade
);
create unique index price_previews_key on price_previews (trader_id, key_sha256);
create index price_previews_expiry on price_previews (expires_at);
