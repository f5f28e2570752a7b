-- People and their sessions. Nothing secret is stored: codes as keyed HMACs, links as SHA-256, refresh tokens not at
-- all (decision G-82), signing keys encrypted with a key derived from AUTH_SECRET (decision G-83).

create table users (
  id uuid primary key,
  email text not null check (email = lower(email) and char_length(email) <= 255),
  user_metadata jsonb not null default '{}',
  email_confirmed_at timestamptz,
  last_sign_in_at timestamptz,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_email on users (lower(email));

create table identities (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  provider text not null check (provider = 'email'),
  provider_id text not null,
  identity_data jsonb not null,
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider, provider_id)
);
create index identities_user on identities (user_id);

-- One request for a sign-in mail. The row of an unknown address looks like that of a known one: the user is made at
-- the first successful verify (decision G-04).
create table otp_challenges (
  id uuid primary key,
  email text not null check (email = lower(email)),
  purpose text not null check (purpose in ('sign_in', 'recovery')),
  user_metadata jsonb not null default '{}',
  -- Drawn by the task that sends; null until then.
  secret_key_id text,
  code_hmac bytea,
  link_sha256 bytea unique,
  code_challenge text,
  -- False: mail goes out only to an address that has a user already.
  create_user boolean not null default true,
  wrong_tries int not null default 0 check (wrong_tries between 0 and 5),
  code_expires_at timestamptz not null,
  link_expires_at timestamptz not null,
  consumed_at timestamptz,
  ip inet,
  created_at timestamptz not null
);
-- The newest only: a new request replaces the live one.
create unique index otp_challenges_live on otp_challenges (email, purpose) where consumed_at is null;

create index otp_challenges_expiry on otp_challenges (link_expires_at);

-- What an address has been sent and how often its codes were guessed wrong, in the last hour, known or not: these hold
-- over all codes of the address (decision G-04). A request locks its row, so requests for one address queue up.
create table sign_in_addresses (
  email text primary key check (email = lower(email)),
  sent_at timestamptz[] not null,
  wrong_at timestamptz[] not null default '{}',
  updated_at timestamptz not null
);
create index sign_in_addresses_age on sign_in_addresses (updated_at);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  aal text not null check (aal in ('aal1', 'aal2')),
  amr jsonb not null,
  -- Number of the newest refresh token; its parent is refresh_counter - 1 (decision G-82).
  refresh_counter bigint not null default 0,
  -- Whether the newest token, refresh or access, has been presented.
  successor_seen boolean not null default false,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  revoked_at timestamptz,
  user_agent text,
  ip inet
);
create index sessions_live on sessions (user_id) where revoked_at is null;

create table signing_keys (
  kid text primary key,
  alg text not null check (alg = 'ES256'),
  public_jwk jsonb not null,
  -- Private JWK, AES-256-GCM under the key that secret_key_id names.
  private_sealed bytea not null,
  secret_key_id text not null,
  state text not null check (state in ('published', 'signing', 'retired')),
  created_at timestamptz not null
);
create unique index signing_keys_one_signs on signing_keys (state) where state = 'signing';
