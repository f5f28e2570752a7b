-- What a mail server says of us holds a range: nobody works on it before this instant. `holds` counts how often in a row.
alter table delivery_ranges
  add column held_until timestamptz,
  add column held_at timestamptz,
  add column holds int not null default 0 check (holds >= 0),
  add constraint delivery_ranges_held check ((held_until is null) = (held_at is null));

-- How many of the tries were refused (5xx); the others were deferred (4xx). Each has a schedule of its own.
alter table delivery_exceptions add column refusals int not null default 0 check (refusals between 0 and tries);

-- The enhanced status code (RFC 3463) of the refusal, where the server gave one.
alter table suppressions add column smtp_status text;

-- Events at which a person's server refused a mail although the address may exist. Three of them over three days suppress
-- the person; a mail that is taken deletes them.
create table mail_refusals (
  user_id uuid not null references users on delete cascade,
  trader_id uuid not null,
  event_no bigint not null,
  refused_at timestamptz not null,
  primary key (user_id, trader_id, event_no)
);

-- When the operator was last given cause for a mail of a kind, sent or held back: as long as it goes on, one is enough.
create table operator_notices (
  kind text primary key,
  seen_at timestamptz not null
);
