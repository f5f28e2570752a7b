-- What the score is made of (decision 0053).

-- Closes that become known after their day change days that were computed without them.
-- Null: before this was noted.
alter table symbol_days add column known_at timestamptz;
create index symbol_days_known on symbol_days (known_at);
-- A close that was filled from a provider's past counts in the shares of the day on which it was asked; others, with null here, in
-- those of their own day.
alter table symbol_days add column shares_of date;

-- Every split that an operator has said (decision G-47), whoever held the symbol then.
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
insert into symbol_splits (symbol, day, shares, said_at)
  select distinct on (position.symbol, adjustment.effective_on) position.symbol, adjustment.effective_on,
    coalesce(adjustment.new_shares::numeric / adjustment.old_shares, adjustment.open_price_before / adjustment.open_price_after),
    adjustment.adjusted_at
  from position_adjustments adjustment
    join positions position on position.trader_id = adjustment.trader_id and position.id = adjustment.position_id
  where adjustment.reason = 'split'
  order by position.symbol, adjustment.effective_on, adjustment.new_shares nulls last, adjustment.open_price_before desc;

-- What a trader's open positions did in one session, beside the index. A day without an open position has no row.
create table trader_days (
  trader_id uuid not null,
  day date not null,
  -- Positions that were open in it.
  positions int not null check (positions > 0),
  -- Mean of their returns on that day, in percent of their value before it.
  day_return numeric(24, 10) not null,
  -- Mean of their profits on that day, in percent of the stake, less the index's on the same stake. Null when none of them was
  -- opened within the index's known past.
  excess numeric(24, 10),
  primary key (trader_id, day),
  constraint trader_days_trader foreign key (trader_id) references users on delete cascade
);

-- Each night's run; the newest is shown.
create table score_runs (
  -- The last session that it knows.
  as_of date primary key,
  -- Version of the formula.
  formula int not null,
  ran_at timestamptz not null,
  traders int not null
);

-- Estimates, so floats. In percent a position over the index.
create table trader_scores (
  as_of date not null,
  trader_id uuid not null,
  low double precision not null,
  middle double precision not null,
  high double precision not null,
  -- How much of the estimate is the trader's own, 0 to 1; the rest is what all traders have in common.
  reliability double precision not null check (reliability between 0 and 1),
  primary key (as_of, trader_id),
  check (low <= middle and middle <= high),
  constraint trader_scores_trader foreign key (trader_id) references users on delete cascade
);
create index trader_scores_rank on trader_scores (as_of, low desc, trader_id);
