-- Prices that are shown late (rule G-130, ADR 0134).

-- Quotes of symbols that are held, while prices are shown 15 minutes late: of each symbol those of the last 15 minutes, and the one before
-- them.
create table late_prices (
  symbol text not null check (symbol = upper(symbol)),
  -- When the provider said it.
  answered_at timestamptz not null,
  price numeric(18, 6) not null check (price > 0),
  -- Of its last trade.
  quoted_at timestamptz not null,
  -- As of symbol_marks.
  for_opened_before timestamptz,
  primary key (symbol, answered_at)
);
