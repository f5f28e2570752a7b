-- One account a user, made at its first look. The username is set once and never changes (product.md section 4).
create table accounts (
  user_id uuid primary key references users on delete cascade,
  username text check (username ~ '^[A-Za-z0-9][A-Za-z0-9_-]{2,14}$'),
  username_set_at timestamptz,
  created_at timestamptz not null,
  check ((username is null) = (username_set_at is null))
);
create unique index accounts_username on accounts (lower(username));

create function refuse_username_change() returns trigger language plpgsql as $$
begin
  raise exception 'a username is set once' using errcode = 'check_violation';
end
$$;
create trigger accounts_username_is_set_once before update of username on accounts
  for each row when (old.username is not null and new.username is distinct from old.username)
  execute function refuse_username_change();

-- The head of a trader's ledger, made with the username. Opening, closing and every change of who is entitled first
-- update this row, so their order is that of their commits, and the numbers drawn from it rise without gaps:
-- an event's audience can be computed from numbers alone, whatever the clocks say.
create table traders (
  trader_id uuid primary key references users on delete cascade,
  last_event_no bigint not null default 0,
  last_mail_no bigint not null default 0,
  created_at timestamptz not null
);
