create type hold_length as enum (
  'less_than_one_week', 'one_to_three_weeks', 'one_to_three_months', 'three_to_six_months', 'more_than_six_months'
);

-- Rules that must hold whatever the code does: one active position a symbol, no close on the UTC day of the opening,
-- every price from a preview of its own.
create table positions (
  trader_id uuid not null,
  id uuid not null,
  symbol text not null check (symbol = upper(symbol)),
  hold_length hold_length not null,
  open_price numeric(18, 6) not null check (open_price > 0),
  open_notes text not null check (char_length(open_notes) between 1 and 500),
  opened_at timestamptz not null,
  open_preview_id uuid not null,
  close_price numeric(18, 6) check (close_price > 0),
  close_notes text check (char_length(close_notes) between 1 and 500),
  closed_at timestamptz,
  close_preview_id uuid,
  percentage_gain numeric(38, 12),
  -- Closed on the day of the opening because the market override was on (decision G-10).
  override_used boolean not null default false,
  active boolean generated always as (closed_at is null) stored,
  primary key (trader_id, id),
  constraint positions_trader foreign key (trader_id) references users on delete cascade,
  check (num_nonnulls(close_price, close_notes, closed_at, close_preview_id, percentage_gain) in (0, 5)),
  constraint positions_never_closed_early check (
    closed_at is null
    or (closed_at at time zone 'UTC')::date > (opened_at at time zone 'UTC')::date
    or override_used
  )
);
create unique index positions_one_active_a_symbol on positions (trader_id, symbol) where closed_at is null;
create unique index positions_open_preview on positions (trader_id, open_preview_id);
create unique index positions_close_preview on positions (trader_id, close_preview_id);
create index positions_closed on positions (trader_id, closed_at desc) where closed_at is not null;
create index positions_active on positions (trader_id, opened_at desc) where closed_at is null;

-- Kept in the transaction that opens or closes. gain_avg is generated, so the order of the leaderboard is an index.
create table trader_stats (
  trader_id uuid primary key,
  open_count int not null default 0 check (open_count >= 0),
  closed_count int not null default 0 check (closed_count >= 0),
  gain_sum numeric(44, 12) not null default 0,
  gain_avg numeric generated always as (
    case when closed_count > 0 then round(gain_sum / closed_count, 12) end
  ) stored,
  constraint trader_stats_trader foreign key (trader_id) references users on delete cascade
);
create index trader_stats_rank on trader_stats (gain_avg desc, closed_count desc, trader_id)
  where closed_count >= 1;

-- The outbox: written with the position. The number is drawn from the trader's head (see traders).
create table position_events (
  trader_id uuid not null,
  event_no bigint not null,
  position_id uuid not null,
  kind text not null check (kind in ('opened', 'closed')),
  created_at timestamptz not null,
  -- Set by the planner in the transaction that writes the ranges.
  planned_at timestamptz,
  audience_size int,
  primary key (trader_id, event_no),
  unique (trader_id, position_id, kind),
  foreign key (trader_id, position_id) references positions on delete cascade
);
create index position_events_unplanned on position_events (created_at) where planned_at is null;
