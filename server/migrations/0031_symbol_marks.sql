-- The last quote of each symbol that somebody looks at, or whose close is due, and when it is asked next (decision 0047).
create table symbol_marks (
  symbol text primary key check (symbol = upper(symbol)),
  price numeric(18, 6) check (price > 0),
  -- Of its last trade.
  quoted_at timestamptz,
  -- When the provider last said something of the symbol, a price or that it does not know it.
  answered_at timestamptz,
  -- Since when the provider does not know it.
  gone_at timestamptz,
  asked_at timestamptz,
  -- In a row; each makes the next pause longer.
  failures int not null default 0,
  -- Somebody looks at it until then.
  watched_until timestamptz,
  -- The session whose close is still to be asked.
  close_due date,
  check ((price is null) = (quoted_at is null))
);

-- One row, which every process that asks takes in turn, so that all of them together stay within the budget.
create table mark_pace (
  only_row boolean primary key default true check (only_row),
  next_ask_at timestamptz not null,
  -- Of the provider, in a row.
  failures int not null default 0,
  -- The session whose closes are noted as due.
  closes_of date
);
insert into mark_pace (next_ask_at) values ('-infinity');
