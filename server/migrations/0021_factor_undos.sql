-- Every change of a second factor that counts, for as long as the link in its mail can undo it (decision 0031). A factor that was
-- removed is kept here, its secret sealed as it was and bound to the factor's id, until then.
create table factor_undos (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  factor_id uuid not null,
  change text not null check (change in ('added', 'removed')),
  friendly_name text,
  secret_sealed bytea,
  secret_key_id text,
  last_step bigint,
  factor_created_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  check ((change = 'removed') = (secret_sealed is not null)),
  check ((secret_sealed is null) = (secret_key_id is null)),
  check ((secret_sealed is null) = (factor_created_at is null))
);
create index factor_undos_user on factor_undos (user_id, created_at);
create index factor_undos_expiry on factor_undos (expires_at);
