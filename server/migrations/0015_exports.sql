-- Files of everything that is kept about a person (ADR 0122). No file is stored: a row lets one be taken, and it is written while it is
-- taken. The secret of its link is derived from its id.
create table exports (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- How often a file was begun: one that broke off may be begun again.
  begins int not null default 0 check (begins between 0 and 3),
  -- When a file was sent to its last byte.
  taken_at timestamptz,
  -- When a newer one took its place.
  replaced_at timestamptz
);
create index exports_of_user on exports (user_id, created_at);
create index exports_expiry on exports (expires_at);
