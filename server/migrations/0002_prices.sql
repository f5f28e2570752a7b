-- Symbols and what they cost: facts about stocks, whoever holds them.

-- Names

-- The company or fund of a ticker, as the price provider calls it; tickers whose name nobody found have no row. The provider's list of symbols
-- is read into it once a day (ADR 0082). A ticker outlives companies: whose it was before is in former_symbols.
create table symbols (
  symbol text primary key check (symbol = upper(symbol)),
  name text not null check (name <> ''),
  -- The share itself, whatever its ticker; null where the provider does not say.
  figi text,
  -- Null: the name was known before there was a list.
  since timestamptz,
  -- The last list that was read holds it.
  listed boolean not null default false,
  -- The first list in a row that did not hold it.
  missing_since timestamptz,
  delisted_at timestamptz,
  -- Of the directory, when the row changed last.
  version bigint not null default 0,
  constraint symbols_listed_whole check (not listed or (missing_since is null and delisted_at is null))
);

create table former_symbols (
  symbol text not null check (symbol = upper(symbol)),
  until timestamptz not null,
  name text not null check (name <> ''),
  figi text,
  since timestamptz,
  version bigint not null,
  primary key (symbol, until)
);

create table symbol_directory (
  only_row boolean primary key default true check (only_row),
  -- Rises with every change of a name or of what is listed: rows of a newer one are read again.
  version bigint not null default 0,
  asked_at timestamptz,
  -- The last day whose list was read, and since when it is not whole; null while it is.
  read_on date,
  short_since timestamptz,
  -- The operator was told that there has been no list for days; null once there is one.
  told_at timestamptz
);
insert into symbol_directory default values;

-- Closes

-- The price of a symbol at the end of a session, as it was quoted that day (ADR 0046). A day without a row is unknown, or no
-- trading day; nothing is ever put in its place.
create table symbol_days (
  symbol text not null check (symbol = upper(symbol)),
  -- Of the session, in UTC.
  day date not null,
  close numeric(18, 6) not null check (close > 0),
  -- Asked later than on the day itself.
  late boolean not null,
  -- Closes that become known after their day change days that were computed without them.
  known_at timestamptz,
  -- A close that was filled from a provider's past counts in the shares of the day on which it was asked; others, with null here, in
  -- those of their own day.
  shares_of date,
  primary key (symbol, day)
);
create index symbol_days_known on symbol_days (known_at);

-- Every split that an operator has said (rule G-47), whoever held the symbol then.
create table symbol_splits (
  symbol text not null check (symbol = upper(symbol)),
  -- First day, in UTC, at the new price.
  day date not null,
  -- New shares for an old one.
  shares numeric not null check (shares > 0),
  said_at timestamptz not null,
  primary key (symbol, day)
);
create index symbol_splits_said on symbol_splits (said_at);

-- Marks

-- The last quote of each symbol that somebody looks at, or whose close is due, and when it is asked next (ADR 0047). Marks are looked
-- up in rounds over all that is held, whoever looks or does not (ADR 0087).
create table symbol_marks (
  symbol text primary key check (symbol = upper(symbol)),
  price numeric(18, 6) check (price > 0),
  -- Of its last trade.
  quoted_at timestamptz,
  -- When the provider last said something of the symbol, a price or that it does not know it.
  answered_at timestamptz,
  -- One empty answer is not the end of a share: on how many session days there was nothing else, and the last of them. gone_at is the third.
  empty_days int not null default 0 check (empty_days >= 0),
  empty_on date,
  -- Since when the provider does not know it.
  gone_at timestamptz,
  asked_at timestamptz,
  -- In a row; each makes the next pause longer.
  failures int not null default 0,
  -- Somebody looks at it until then.
  watched_until timestamptz,
  -- Its place in the round that runs, by chance, drawn again each round; null once it was asked about, and of one that is not in it.
  turn uuid,
  -- Its price is shown to those who see a position that was opened before: the beginning of the round before that in which it was found.
  for_opened_before timestamptz,
  -- The session whose close is still to be asked.
  close_due date,
  check ((price is null) = (quoted_at is null))
);
create index symbol_marks_turn on symbol_marks (turn) where turn is not null;

-- One row, which every process that asks takes in turn, so that all of them together stay within the budget.
create table mark_pace (
  only_row boolean primary key default true check (only_row),
  next_ask_at timestamptz not null,
  -- Of the provider, in a row.
  failures int not null default 0,
  -- The session whose closes are noted as due.
  closes_of date,
  -- When the round that runs began, and the one before it.
  round_at timestamptz,
  round_before_at timestamptz
);
insert into mark_pace (next_ask_at) values ('-infinity');

-- Prices at which positions are opened and closed

-- A previewed price: single use, bound to the trader, the symbol and the quote (rule G-09).
create table price_previews (
  trader_id uuid not null,
  id uuid not null,
  key_sha256 bytea not null,
  symbol text not null check (symbol = upper(symbol)),
  price numeric(18, 6) not null check (price > 0),
  quoted_at timestamptz not null,
  -- The price is the last one that was plausible: a close at it is unsettled, and nothing is opened.
  suspect boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (trader_id, id),
  constraint price_previews_trader foreign key (trader_id) references users on delete cascade
);
create unique index price_previews_key on price_previews (trader_id, key_sha256);
create index price_previews_expiry on price_previews (expires_at);

-- A price that looks wrong opens nothing and settles nothing until it is known to be right (ADR 0076).
create table suspect_prices (
  symbol text primary key check (symbol = upper(symbol)),
  price numeric(18, 6) not null check (price > 0),
  -- Since when the provider says it. Null once the price was plausible again: what looks wrong later looks wrong from then on.
  since timestamptz,
  -- The last day, in UTC, on which the operator was told.
  told_on date,
  -- A price that was found to be right, and from when on it counts as one that is known.
  accepted_price numeric(18, 6) check (accepted_price > 0),
  accepted_at timestamptz,
  check ((accepted_price is null) = (accepted_at is null))
);

-- An operator takes back all that was recorded of a glitch (ADR 0078): the prices of a symbol within a span of time.
create table price_retractions (
  id uuid primary key,
  symbol text not null check (symbol = upper(symbol)),
  -- Both ends are part of the span.
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Stands in place of each of them.
  price numeric(18, 6) not null check (price > 0),
  -- Why, as people read it.
  reason text not null check (char_length(reason) between 1 and 500),
  retracted_at timestamptz not null,
  unique (symbol, from_at, to_at),
  check (from_at <= to_at)
);
create index price_retractions_told on price_retractions (retracted_at);

-- Calls to the price provider within the last minute, so that all processes together make no more than its plan allows, and that those
-- that matter most come first (ADR 0081). A row is a call.
create table provider_calls (
  asked_at timestamptz not null,
  -- The part of the minute's calls that it is taken from: that of closes, of openings by traders who are followed, of everything else.
  pool text not null check (pool in ('closes', 'followed', 'others')),
  -- Null for what nobody waits for: settlements, marks, closes of the day.
  person_id uuid
);
create index provider_calls_asked_at on provider_calls (asked_at);
