-- The provider's list of symbols, read once a day, in the table of names (decision 0082). A ticker outlives companies: whose it was before
-- is in former_symbols.
alter table symbols
  -- Whose ticker it is, whatever the ticker; null where the provider does not say.
  add column figi text,
  -- Null: the name was known before there was a list.
  add column since timestamptz,
  -- The last list that was read holds it.
  add column listed boolean not null default false,
  -- The first list in a row that did not hold it.
  add column missing_since timestamptz,
  add column delisted_at timestamptz,
  -- Of the directory, when the row changed last.
  add column version bigint not null default 0,
  add constraint symbols_listed_whole check (not listed or (missing_since is null and delisted_at is null));

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

-- The first day (UTC) on which the ticker was another company's while the position was not ended; null for all others.
alter table positions add column ticker_lost_on date;
