-- Shared by the product's processes: work and limits, versions of what they keep, and notifications of live feeds.

-- Work and limits

-- Every start of a worker takes a number of its own; nobody ever leases under a dead one's.
create sequence worker_numbers as int;

-- Jobs: rare work of the product that has no table of its own (ADR 0103). Times are the database's.
create table work (
  name text not null,
  -- One of a name and key waits at a time; asking again while it is in hand has it done again.
  key text not null,
  facts jsonb not null,
  -- Raised each time that it is asked for.
  asks int not null default 1,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  -- Without success.
  tries int not null default 0,
  most_tries int not null check (most_tries > 0),
  lease_owner int,
  leased_at timestamptz,
  -- Given up: a person has to look.
  parked_at timestamptz,
  -- Of the last try, in words without addresses.
  fault text,
  primary key (name, key),
  check ((lease_owner is null) = (leased_at is null))
);
create index work_due on work (due_at) where parked_at is null;
create index work_parked on work (parked_at) where parked_at is not null;

-- Counters of limits that must hold over all processes; unlogged, since losing them in a crash only forgives.
create unlogged table rate_limits (
  key text not null,
  window_start timestamptz not null,
  count int not null,
  expires_at timestamptz not null,
  primary key (key, window_start)
);
create index rate_limits_expiry on rate_limits (expires_at);

-- Backups that were taken of this database (ADR 0067). A backup holds its own row, so a database that was restored from it knows
-- the moment that it is of.
create table backups (
  -- Before the backup's snapshot: everything that was committed by then is in it.
  taken_at timestamptz primary key,
  -- Set in the database that was restored from it. From then until it is settled no process of the product starts there.
  restored_at timestamptz,
  settled_at timestamptz,
  check (settled_at is null or restored_at is not null)
);

-- Versions of what processes keep

-- How often what everybody may read was changed: processes of the API keep such an answer while its version is the same
-- (ADR 0059). Raised by triggers in the transaction that writes, so that every writer raises it, and no process sees a version before
-- what it stands for.
create table read_versions (
  -- `suspensions`: a replica must have heard of it before a list is read there that leaves suspended people out (ADR 0064).
  -- `days`: what the night has computed, and closes of its days. `proven`: the list of scores (ADR 0101).
  name text not null check (name in ('leaderboard', 'suspensions', 'days', 'proven')),
  -- A transaction raises a part that no other one holds, and makes another part where all are held: nobody waits for anybody.
  -- The version is the sum, which every commit makes larger.
  part bigint generated always as identity,
  raised bigint not null,
  primary key (name, part)
);

-- For what no trigger can see: on Citus there is none on tables that are spread or whole on every node (ADR 0069).
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

create function raise_read_version() returns trigger language plpgsql as $$
begin
  perform raise_version(tg_argv[0]);
  return null;
end $$;

-- An open changes nothing that the leaderboard says; it changes with who is gone from it, or back.
create trigger raise_leaderboard_first after insert on trader_stats
  for each row when (new.closed_count > 0) execute function raise_read_version('leaderboard');
create trigger raise_leaderboard after update on trader_stats
  for each row when (
    (old.closed_count, old.unsettled_count, old.gain_sum, old.win_count, old.suspended)
    is distinct from (new.closed_count, new.unsettled_count, new.gain_sum, new.win_count, new.suspended)
  ) execute function raise_read_version('leaderboard');
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

create trigger raise_suspensions after update of suspended_at on users
  for each row when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function raise_read_version('suspensions');

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

-- Live feeds

-- People with live feeds open are notified when something of theirs changes: `people` names a topic and a person. By triggers, so that
-- every writer does it; in the transaction, since these are rare beside the events of positions
-- (ADR 0061).
create function notify_person() returns trigger language plpgsql as $$
begin
  perform pg_notify('people', tg_argv[0] || ':' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;

-- Ends of a session, and changes that ask more of it than it had.
create trigger notify_of_ended_session after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function notify_person('session', 'user_id');
create trigger notify_of_deleted_session after delete on sessions
  for each row when (old.revoked_at is null) execute function notify_person('session', 'user_id');
create trigger notify_of_suspension after update of suspended_at on users
  for each row when (old.suspended_at is null and new.suspended_at is not null) execute function notify_person('session', 'id');
create trigger notify_of_factor after update of status on mfa_factors
  for each row when (new.status = 'verified' and old.status <> 'verified') execute function notify_person('session', 'user_id');

create trigger notify_of_new_subscription after insert or delete on subscriptions
  for each row execute function notify_person('subscriptions', 'subscriber_id');
create trigger notify_of_subscription after update on subscriptions
  for each row when (
    (old.status, old.entitled_from_event, old.entitled_until_event, old.current_period_end, old.cancel_at, old.paused_since,
      old.mail_muted_at, old.price_cents)
    is distinct from
    (new.status, new.entitled_from_event, new.entitled_until_event, new.current_period_end, new.cancel_at, new.paused_since,
      new.mail_muted_at, new.price_cents)
  ) execute function notify_person('subscriptions', 'subscriber_id');

create trigger notify_of_payouts after insert or update of transfers_status, reason, complete_at, closed_at on payout_accounts
  for each row execute function notify_person('payouts', 'user_id');
