-- What the rest of the sign-in wire needs: codes of the redirect (PKCE), second factors, planned signing keys, and a
-- record of who did what. Secrets are stored as in 0001: hashed when random, sealed when they must be read again.

-- A link that was opened through GET /verify by a client that holds a verifier (RFC 7636). The user is made when the
-- code is exchanged, as at every other first sign-in.
create table auth_codes (
  code_sha256 bytea primary key,
  email text not null check (email = lower(email)),
  user_metadata jsonb not null,
  code_challenge text not null,
  method text not null check (method in ('magiclink', 'email/signup', 'recovery')),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  created_at timestamptz not null
);
create index auth_codes_expiry on auth_codes (expires_at);

create table mfa_factors (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  factor_type text not null check (factor_type in ('totp', 'phone')),
  status text not null check (status in ('unverified', 'verified')),
  friendly_name text not null default '' check (char_length(friendly_name) <= 100),
  phone text,
  -- The shared secret, AES-256-GCM under the key that secret_key_id names, bound to this row's id.
  secret_sealed bytea,
  secret_key_id text,
  -- Number of the last 30 seconds whose code was accepted; no code of it or of an earlier one is accepted again.
  last_step bigint,
  -- Wrong codes within the last quarter of an hour, over all challenges.
  wrong_at timestamptz[] not null default '{}',
  last_challenged_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, friendly_name),
  check ((secret_sealed is null) = (secret_key_id is null)),
  check (factor_type <> 'totp' or secret_sealed is not null),
  check ((factor_type = 'phone') = (phone is not null))
);
-- Asked on every request: must this person confirm with a second factor?
create index mfa_factors_verified on mfa_factors (user_id) where status = 'verified';

alter table sessions
  -- The factor that raised the session to aal2; removing it lowers the session again.
  add column factor_id uuid references mfa_factors on delete set null,
  -- Number of the newest refresh token when the session was raised: one of aal1, which must not become aal2.
  add column raised_from bigint;
create index sessions_factor on sessions (factor_id) where factor_id is not null;

create table mfa_challenges (
  id uuid primary key,
  factor_id uuid not null references mfa_factors on delete cascade,
  -- Bound to the session and not to an address, which changes under way on a phone.
  session_id uuid not null references sessions on delete cascade,
  wrong_tries int not null default 0 check (wrong_tries between 0 and 5),
  expires_at timestamptz not null,
  verified_at timestamptz,
  created_at timestamptz not null
);
create index mfa_challenges_factor on mfa_challenges (factor_id);
create index mfa_challenges_session on mfa_challenges (session_id);
create index mfa_challenges_expiry on mfa_challenges (expires_at);

-- A key is published before it signs, and goes on being published until the last token that it signed has gone.
alter table signing_keys
  add column signs_from timestamptz,
  add column signed_until timestamptz;
update signing_keys set signs_from = created_at;
alter table signing_keys alter column signs_from set not null;

-- Who did what, from where. No secrets; addresses of people without a user only as a keyed hash.
create table audit_log (
  id uuid primary key,
  at timestamptz not null,
  action text not null,
  -- The user who acted or was acted for; kept when the user is gone.
  user_id uuid,
  session_id uuid,
  -- Keyed hash of the mail address, for what happens before anybody knows who asks.
  email_hmac text,
  -- What it was done to or how: a factor's id, a scope, a method.
  detail text,
  ip inet,
  user_agent text
);
create index audit_log_at on audit_log (at);
create index audit_log_user on audit_log (user_id, at);
create index audit_log_email on audit_log (email_hmac, at) where email_hmac is not null;
