-- Suspended people are ranked and offered nowhere (decision 0074). It stands beside what ranks them, so that a list of the best reads
-- none of them, however many they are. A trigger keeps it in the transaction that suspends, so that every writer does it, those of the
-- version before too.
alter table trader_stats add column suspended boolean not null default false;
alter table trader_scores add column suspended boolean not null default false;

-- trader_stats_rank and trader_scores_rank are read by the version before alone: the release after this one drops them.
create index trader_stats_board on trader_stats (gain_avg desc, closed_count desc, trader_id)
  where closed_count >= 1 and not suspended;
create index trader_scores_board on trader_scores (as_of, low desc, trader_id) where not suspended;

-- The leaderboard changes with who is gone from it, or back.
drop trigger raise_leaderboard on trader_stats;
create trigger raise_leaderboard after update on trader_stats
  for each row when (
    (old.closed_count, old.gain_sum, old.win_count, old.suspended)
    is distinct from (new.closed_count, new.gain_sum, new.win_count, new.suspended)
  ) execute function raise_read_version('leaderboard');

-- A replica must have heard of it before a list is read there that leaves suspended people out (decision 0064).
alter table read_versions drop constraint read_versions_name_check;
alter table read_versions add constraint read_versions_name_check check (name in ('leaderboard', 'suspensions'));
create trigger raise_suspensions after update of suspended_at on users
  for each row when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function raise_read_version('suspensions');

create function follow_suspension() returns trigger language plpgsql as $$
begin
  -- Scores are written page by page, each by a statement of its own: this waits for one that is under way, and the next one sees this.
  lock table trader_scores in share row exclusive mode;
  -- The row is made before the first position too, so that an opening at the same time finds it.
  insert into trader_stats (trader_id, suspended) values (new.id, new.suspended_at is not null)
    on conflict (trader_id) do update set suspended = excluded.suspended;
  -- The scores that are shown, and those of a run that has not ended.
  update trader_scores set suspended = new.suspended_at is not null
    where trader_id = new.id and as_of >= coalesce((select max(as_of) from score_runs), '-infinity');
  return null;
end $$;
create trigger follow_suspension after update of suspended_at on users
  for each row when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function follow_suspension();

create function mark_suspended_scores() returns trigger language plpgsql as $$
begin
  update trader_scores score set suspended = true
    from added join users on users.id = added.trader_id and users.suspended_at is not null
    where score.as_of = added.as_of and score.trader_id = added.trader_id;
  return null;
end $$;
create trigger mark_suspended_scores after insert on trader_scores
  referencing new table as added for each statement execute function mark_suspended_scores();

insert into trader_stats (trader_id, suspended) select id, true from users where suspended_at is not null
  on conflict (trader_id) do update set suspended = true;
update trader_scores set suspended = true
  where trader_id in (select id from users where suspended_at is not null);
