-- How often what everybody may read was changed: processes of the API keep such an answer while its version is the same
-- (decision 0059). Raised by triggers in the transaction that writes, so that every writer raises it, those of the version before
-- too, and no process sees a version before what it stands for.
create table read_versions (
  name text not null check (name in ('leaderboard')),
  -- A transaction raises a part that no other one holds, and makes another part where all are held: nobody waits for anybody.
  -- The version is the sum, which every commit makes larger.
  part bigint generated always as identity,
  raised bigint not null,
  primary key (name, part)
);

create function raise_read_version() returns trigger language plpgsql as $$
declare
  free bigint;
begin
  select part into free from read_versions where name = tg_argv[0] order by part for update skip locked limit 1;
  if found then
    update read_versions set raised = raised + 1 where name = tg_argv[0] and part = free;
  else
    insert into read_versions (name, raised) values (tg_argv[0], 1);
  end if;
  return null;
end $$;

-- An open changes nothing that the leaderboard says.
create trigger raise_leaderboard_first after insert on trader_stats
  for each row when (new.closed_count > 0) execute function raise_read_version('leaderboard');
create trigger raise_leaderboard after update on trader_stats
  for each row when ((old.closed_count, old.gain_sum, old.win_count) is distinct from (new.closed_count, new.gain_sum, new.win_count))
  execute function raise_read_version('leaderboard');
create trigger raise_leaderboard_last after delete on trader_stats
  for each row when (old.closed_count > 0) execute function raise_read_version('leaderboard');
create trigger raise_leaderboard_emptied after truncate on trader_stats
  for each statement execute function raise_read_version('leaderboard');
create trigger raise_leaderboard_curves after insert or update or delete or truncate on trader_sparklines
  for each statement execute function raise_read_version('leaderboard');
-- A trader has a name before a position, and keeps it: this is for what does not happen.
create trigger raise_leaderboard_names after update of username on accounts
  for each row when (old.username is distinct from new.username and old.username is not null)
  execute function raise_read_version('leaderboard');
