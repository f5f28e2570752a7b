-- Jobs: rare work of the product that has no table of its own (decision 0103). Times are the database's.
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
