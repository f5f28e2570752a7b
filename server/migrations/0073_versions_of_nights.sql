-- Two more versions of what processes keep (decision 0101): `days`, of what the night has computed and of closes of its days, and `proven`,
-- of the list of scores. Processes of the version before know neither and are not held up by them.
alter table read_versions drop constraint read_versions_name_check;
alter table read_versions add constraint read_versions_name_check
  check (name in ('leaderboard', 'suspensions', 'days', 'proven'));

-- For what no trigger can see: on Citus there is none on tables that are spread or whole on every node (decision 0069).
create function raise_version(raised_name text) returns void language plpgsql as $$
declare
  free bigint;
begin
  select part into free from read_versions where name = raised_name order by part for update skip locked limit 1;
  if found then
    update read_versions set raised = raised + 1 where name = raised_name and part = free;
  else
    insert into read_versions (name, raised) values (raised_name, 1);
  end if;
end $$;

create or replace function raise_read_version() returns trigger language plpgsql as $$
begin
  perform raise_version(tg_argv[0]);
  return null;
end $$;

-- Each page of days is written with its place in the transaction that computes it; the runs end with these rows.
create trigger raise_days_of_steps after insert or update or delete or truncate on day_steps
  for each statement execute function raise_read_version('days');
create trigger raise_days_of_nights after insert or update or delete or truncate on day_runs
  for each statement execute function raise_read_version('days');
create trigger raise_days_of_runs after insert or update or delete or truncate on score_runs
  for each statement execute function raise_read_version('days');

create trigger raise_proven_of_runs after insert or update or delete or truncate on score_runs
  for each statement execute function raise_read_version('proven');
create trigger raise_proven_of_scores after insert or update or delete or truncate on trader_scores
  for each statement execute function raise_read_version('proven');

-- The list counts what its traders hold and have closed. Before the first run there is none.
create function raise_proven_of_trader() returns trigger language plpgsql as $$
begin
  if exists (select from score_runs) then
    perform raise_version('proven');
  end if;
  return null;
end $$;
create trigger raise_proven_first after insert on trader_stats for each row execute function raise_proven_of_trader();
create trigger raise_proven after update on trader_stats
  for each row when (
    (old.open_count, old.closed_count, old.unsettled_count, old.gain_sum)
    is distinct from (new.open_count, new.closed_count, new.unsettled_count, new.gain_sum)
  ) execute function raise_proven_of_trader();
create trigger raise_proven_last after delete on trader_stats for each row execute function raise_proven_of_trader();
create trigger raise_proven_emptied after truncate on trader_stats
  for each statement execute function raise_read_version('proven');
-- A trader has a name before a position, and keeps it: this is for what does not happen.
create trigger raise_proven_names after update of username on accounts
  for each row when (old.username is distinct from new.username and old.username is not null)
  execute function raise_read_version('proven');
