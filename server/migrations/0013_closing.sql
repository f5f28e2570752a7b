-- Closing an account (ADR 0121): for fourteen days it can be given back, then its person is erased. Figures and money stay without them.

alter table users
  add column closed_at timestamptz,
  -- The row stays, since positions and payments hang on it, and says nothing of its person any more.
  add column erased_at timestamptz,
  -- Since when the person is kept out, whether by an operator or by their own wish: whoever reads people goes by this.
  add column inactive_since timestamptz generated always as (least(suspended_at, closed_at)) stored,
  alter column email drop not null,
  add constraint users_erased_without_address check ((email is null) = (erased_at is not null)),
  add constraint users_erased_after_closing check (erased_at is null or closed_at is not null);
create index users_inactive on users (id) where inactive_since is not null;

create table closings (
  id uuid primary key,
  user_id uuid not null references users,
  -- An operator's reason; null for the person's own wish, and once they are erased.
  reason text check (char_length(reason) between 1 and 500),
  closed_at timestamptz not null,
  -- Until then one press gives everything back.
  erase_at timestamptz not null check (erase_at >= closed_at),
  reopened_at timestamptz,
  -- When the mail of the end was queued: nothing is given back from then on.
  ended_at timestamptz,
  erased_at timestamptz,
  -- Erased here; Stripe has not answered yet that its customer is gone.
  customers_left text[] not null default '{}',
  -- When something is to be done: positions closed, a mail sent, the person erased, a customer deleted.
  due_at timestamptz,
  tries int not null default 0,
  lease_owner int,
  leased_at timestamptz,
  check (reopened_at is null or (ended_at is null and erased_at is null)),
  check (erased_at is null or (ended_at is not null and reason is null))
);
create unique index closings_one_at_a_time on closings (user_id) where reopened_at is null;
create index closings_of_user on closings (user_id, closed_at);
create index closings_due on closings (due_at) where due_at is not null;

-- Names of people who were erased are given to nobody for a year, nor are names that resemble them: keyed HMACs of what
-- `username_skeleton` makes of them.
create table former_usernames (
  name_hmac bytea primary key check (octet_length(name_hmac) = 32),
  free_at timestamptz not null
);
create index former_usernames_free on former_usernames (free_at);

-- A username is set once, and goes with its person.
create or replace function refuse_username_change() returns trigger language plpgsql as $$
begin
  if new.username is null and exists (select from users where id = new.user_id and erased_at is not null) then
    return new;
  end if;
  raise exception 'a username is set once' using errcode = 'check_violation';
end
$$;

-- A deletion that follows foreign keys would take record and money along: these refuse it.
alter table positions drop constraint positions_trader,
  add constraint positions_trader foreign key (trader_id) references users;
alter table trader_days drop constraint trader_days_trader,
  add constraint trader_days_trader foreign key (trader_id) references users;
alter table subscriptions drop constraint subscriptions_trader, drop constraint subscriptions_subscriber,
  add constraint subscriptions_trader foreign key (trader_id) references users,
  add constraint subscriptions_subscriber foreign key (subscriber_id) references users;
alter table debts drop constraint debts_trader,
  add constraint debts_trader foreign key (trader_id) references users;
alter table trader_income_months drop constraint trader_income_months_trader,
  add constraint trader_income_months_trader foreign key (trader_id) references users;
alter table payout_accounts drop constraint payout_accounts_user_id_fkey,
  add constraint payout_accounts_user_id_fkey foreign key (user_id) references users;

alter table subscriptions drop constraint subscriptions_end_reason_check,
  add constraint subscriptions_end_reason_check check (
    end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid', 'account_closed'));

-- Everything that follows a suspension follows a closing in the same way.
create or replace function follow_suspension() returns trigger language plpgsql as $$
begin
  -- Scores are written page by page, each by a statement of its own: this waits for one that is under way, and the next one sees this.
  lock table trader_scores in share row exclusive mode;
  -- The row is made before the first position too, so that an opening at the same time finds it.
  insert into trader_stats (trader_id, suspended) values (new.id, new.inactive_since is not null)
    on conflict (trader_id) do update set suspended = excluded.suspended;
  -- The scores that are shown, and those of a run that has not ended.
  update trader_scores set suspended = new.inactive_since is not null
    where trader_id = new.id and as_of >= coalesce((select max(as_of) from score_runs), '-infinity');
  return null;
end $$;
create or replace function mark_suspended_scores() returns trigger language plpgsql as $$
begin
  update trader_scores score set suspended = true
    from added join users on users.id = added.trader_id and users.inactive_since is not null
    where score.as_of = added.as_of and score.trader_id = added.trader_id;
  return null;
end $$;
drop trigger follow_suspension on users;
create trigger follow_suspension after update of suspended_at, closed_at on users
  for each row when ((old.inactive_since is null) <> (new.inactive_since is null)) execute function follow_suspension();
drop trigger raise_suspensions on users;
create trigger raise_suspensions after update of suspended_at, closed_at on users
  for each row when ((old.inactive_since is null) <> (new.inactive_since is null)) execute function raise_read_version('suspensions');
drop trigger notify_of_suspension on users;
create trigger notify_of_suspension after update of suspended_at, closed_at on users
  for each row when (old.inactive_since is null and new.inactive_since is not null) execute function notify_person('session', 'id');
drop trigger note_restored on users;
create trigger note_restored after update of suspended_at, closed_at on users
  for each row when (old.inactive_since is not null and new.inactive_since is null) execute function note_restored();
drop trigger drop_push_devices_of_suspended on users;
create trigger drop_push_devices_of_suspended after update of suspended_at, closed_at on users
  for each row when (old.inactive_since is null and new.inactive_since is not null) execute function drop_push_devices();
