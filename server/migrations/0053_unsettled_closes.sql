-- A close whose price nobody could trade at any more is unsettled: it is closed and mailed at once, and its price is that of the first
-- trade after it (decision 0076). Until then close_price is the last price, and percentage_gain what that makes.
alter table positions
  add column unsettled boolean not null default false,
  -- Of the last trade before the close. Null for closes of before.
  add column close_quoted_at timestamptz,
  -- When an unsettled close got its price; null for one that was settled from the start.
  add column settled_at timestamptz,
  -- The first trade; the last price, since there was none for ten session days; the operator.
  add column settled_by text check (settled_by in ('trade', 'last_price', 'operator')),
  -- A worker that asks writes it first, so that no other one asks too.
  add column settle_asked_at timestamptz,
  add constraint positions_settled_once check (
    (not unsettled or (closed_at is not null and settled_at is null))
    and (settled_at is null) = (settled_by is null)
    and (settled_at is null or settled_at >= closed_at)
  );
create index positions_unsettled on positions (settle_asked_at) where unsettled;

-- Of the closed ones; they are in no average.
alter table trader_stats
  add column unsettled_count int not null default 0 check (unsettled_count between 0 and closed_count),
  add column settled_count int generated always as (closed_count - unsettled_count) stored,
  drop column gain_avg,
  add column gain_avg numeric generated always as (
    case when closed_count > unsettled_count then round(gain_sum / (closed_count - unsettled_count), 12) end
  ) stored;
-- The first is read by the version before alone.
create index trader_stats_rank on trader_stats (gain_avg desc, closed_count desc, trader_id) where closed_count >= 1;
create index trader_stats_board on trader_stats (gain_avg desc, settled_count desc, trader_id)
  where settled_count >= 1 and not suspended;

drop trigger raise_leaderboard on trader_stats;
create trigger raise_leaderboard after update on trader_stats
  for each row when (
    (old.closed_count, old.unsettled_count, old.gain_sum, old.win_count, old.suspended)
    is distinct from (new.closed_count, new.unsettled_count, new.gain_sum, new.win_count, new.suspended)
  ) execute function raise_read_version('leaderboard');

-- Readers of the feed and of Activity hear of it; nobody is mailed.
alter table position_events
  drop constraint position_events_kind_check,
  add constraint position_events_kind_check check (kind in ('opened', 'closed', 'settled', 'adjusted'));
