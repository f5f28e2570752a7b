-- People: how they sign in, what their sessions may do, what they are called, and who did what. Nothing secret is stored: codes as
-- keyed HMACs, links as SHA-256, refresh tokens not at all (rule G-82), signing keys encrypted with a key derived from AUTH_SECRET
-- (rule G-83).

-- Users

create table users (
  id uuid primary key,
  email text not null check (email = lower(email) and char_length(email) <= 255),
  user_metadata jsonb not null default '{}',
  email_confirmed_at timestamptz,
  last_sign_in_at timestamptz,
  suspended_at timestamptz,
  -- When the person was last mailed that all tries were used up: once in a quarter of an hour.
  factor_tries_told_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_email on users (lower(email));
create index users_suspended on users (id) where suspended_at is not null;

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

-- Why and when an operator suspended somebody, and let them back; users.suspended_at says how it stands.
create table suspensions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  reason text not null,
  suspended_at timestamptz not null,
  restored_at timestamptz,
  restored_because text,
  check ((restored_at is null) = (restored_because is null))
);
create unique index suspensions_one_at_a_time on suspensions (user_id) where restored_at is null;

-- Requests for a mail to sign in

-- One request for a sign-in mail. The row of an unknown address looks like that of a known one: the user is made at
-- the first successful verify (rule G-04).
create table otp_challenges (
  id uuid primary key,
  email text not null check (email = lower(email)),
  purpose text not null check (purpose in ('sign_in', 'recovery')),
  -- Drawn by the task that sends; null until then.
  secret_key_id text,
  code_hmac bytea,
  link_sha256 bytea unique,
  code_challenge text,
  -- False: mail goes out only to an address that has a user already.
  create_user boolean not null default true,
  -- Counted apart for devices that have signed in to the address before, as in sign_in_addresses.
  wrong_tries int not null default 0 check (wrong_tries between 0 and 5),
  known_wrong_tries int not null default 0 check (known_wrong_tries between 0 and 5),
  code_expires_at timestamptz not null,
  link_expires_at timestamptz not null,
  consumed_at timestamptz,
  ip inet,
  created_at timestamptz not null
);
-- The newest only: a new request replaces the live one.
create unique index otp_challenges_live on otp_challenges (email, purpose) where consumed_at is null;
create index otp_challenges_expiry on otp_challenges (link_expires_at);

-- Mails to an address and wrong guesses of its codes in the last hour, known or not: both hold over all codes of the
-- address (rule G-04). A request locks its row, so requests for one address queue up. Both are counted
-- twice: for devices that have signed in to the address before, and for everybody else, so that strangers who use theirs up lock
-- nobody out.
create table sign_in_addresses (
  email text primary key check (email = lower(email)),
  sent_at timestamptz[] not null default '{}',
  known_sent_at timestamptz[] not null default '{}',
  wrong_at timestamptz[] not null default '{}',
  known_wrong_at timestamptz[] not null default '{}',
  -- When the last sign-in mail came back, refused for good or bounced; null once one was taken. People who ask again are told so, and
  -- mailed all the same (ADR 0091).
  returned_at timestamptz,
  updated_at timestamptz not null
);
create index sign_in_addresses_age on sign_in_addresses (updated_at);

-- A link that was opened through GET /verify by a client that holds a verifier (RFC 7636). The user is made when the
-- code is exchanged, as at every other first sign-in.
create table auth_codes (
  code_sha256 bytea primary key,
  email text not null check (email = lower(email)),
  code_challenge text not null,
  method text not null check (method in ('magiclink', 'email/signup', 'recovery')),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  created_at timestamptz not null
);
create index auth_codes_expiry on auth_codes (expires_at);

-- A request for a sign-in mail in one statement (ADR 0104). Every request locks the one row that counts the mails of all, and commits
-- that notify wait for one another, so between the first lock and the commit there is the database's own work alone. Each statement
-- sees what the one before has waited for, as in a transaction of several. The commit does not wait for the disk: who asks waits for
-- that afterwards (ADR 0049).
--
-- Answers whether mails to the address come back, and how many mails of the window have a place now; nothing where the address may not
-- be mailed yet. Raises TP001 where no place is left, and then nothing of it has happened.
create function request_code(
  moment timestamptz,
  address text,
  -- Devices that have signed in to the address before are counted apart from everybody else.
  from_known_device boolean,
  -- Between two mails, and how many in an hour; null where neither counts.
  spacing_ms float8,
  an_hour int,
  returned_since timestamptz,
  challenge_id uuid,
  asked_purpose text,
  makes_user boolean,
  pkce_challenge text,
  code_until timestamptz,
  link_until timestamptz,
  from_ip inet,
  entry_id uuid,
  entry_action text,
  address_hmac text,
  agent text,
  mail_id uuid,
  mail_kind text,
  mail_lane text,
  mail_facts jsonb,
  mail_until timestamptz,
  window_key text,
  window_from timestamptz,
  window_until timestamptz,
  -- Null for any number.
  window_places int,
  out returned boolean,
  out placed int
) language plpgsql as $$
declare
  hour_ago constant timestamptz := moment - interval '1 hour';
  closed_since constant timestamptz := moment - spacing_ms * interval '1 millisecond';
begin
  perform set_config('synchronous_commit', 'off', true);

  insert into sign_in_addresses as known (email, sent_at, known_sent_at, updated_at)
  values (address, case when from_known_device then '{}' else array[moment] end,
    case when from_known_device then array[moment] else '{}' end, moment)
  on conflict (email) do update
  set sent_at = case when from_known_device then known.sent_at
      else array(select t from unnest(known.sent_at) t where t > hour_ago) || moment end,
    known_sent_at = case when not from_known_device then known.known_sent_at
      else array(select t from unnest(known.known_sent_at) t where t > hour_ago) || moment end,
    updated_at = moment
  where spacing_ms is null or (
    select count(*) filter (where t > hour_ago) < an_hour and count(*) filter (where t > closed_since) = 0
    from unnest(case when from_known_device then known.known_sent_at else known.sent_at end) t)
  returning coalesce(known.returned_at > returned_since, false) into returned;
  if not found then
    return;
  end if;

  update otp_challenges set consumed_at = moment
  where email = address and purpose = asked_purpose and consumed_at is null;
  insert into otp_challenges (id, email, purpose, create_user, code_challenge, code_expires_at, link_expires_at, ip, created_at)
  values (challenge_id, address, asked_purpose, makes_user, pkce_challenge, code_until, link_until, from_ip, moment);
  insert into audit_log (id, at, action, email_hmac, detail, ip, user_agent)
  values (entry_id, moment, entry_action, address_hmac, asked_purpose, from_ip, agent);
  insert into outbox (id, kind, lane, facts, created_at, due_at, expires_at, place_in)
  values (mail_id, mail_kind, mail_lane, mail_facts, moment, moment, mail_until, window_from);
  perform pg_notify('outbox', mail_lane);

  -- Last, since every request locks this one row.
  insert into rate_limits as places (key, window_start, count, expires_at) values (window_key, window_from, 1, window_until)
  on conflict (key, window_start) do update set count = places.count + 1
  returning count into placed;
  if placed > window_places then
    raise exception 'no place is left' using errcode = 'TP001';
  end if;
end $$;

-- Sessions and second factors

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
  -- Wrong codes within the last quarter of an hour, over all challenges. They are counted for devices that have passed the second step
  -- before and for everybody else, and recovery codes apart from the authenticator's, so that somebody who reads the mailbox keeps its
  -- owner from neither (ADR 0083).
  wrong_at timestamptz[] not null default '{}',
  known_wrong_at timestamptz[] not null default '{}',
  recovery_wrong_at timestamptz[] not null default '{}',
  known_recovery_wrong_at timestamptz[] not null default '{}',
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

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  aal text not null check (aal in ('aal1', 'aal2')),
  amr jsonb not null,
  -- The factor that raised the session to aal2; removing it lowers the session again.
  factor_id uuid references mfa_factors on delete set null,
  -- Number of the newest refresh token; its parent is refresh_counter - 1 (rule G-82).
  refresh_counter bigint not null default 0,
  -- Number of the newest refresh token when the session was raised: one of aal1, which must not become aal2.
  raised_from bigint,
  -- Whether the newest token, refresh or access, has been presented.
  successor_seen boolean not null default false,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  -- Changing the second step of signing in takes the mailbox: a session that was signed in to more than five minutes ago
  -- proves it again by a mailed code (ADR 0031). Null: not since it was signed in to.
  reauthenticated_at timestamptz,
  revoked_at timestamptz,
  -- Where it began.
  user_agent text,
  ip inet,
  -- Where and when it was last used, so that its owner can tell a stolen one in the list of their sessions. Null until it is used again
  -- after it was opened.
  seen_at timestamptz,
  seen_ip inet,
  seen_user_agent text
);
create index sessions_live on sessions (user_id) where revoked_at is null;
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

-- Codes mailed to the owner of an account for somebody who holds something of it already: one row a holder, with the counts of
-- what that holder was mailed and guessed wrong in the last hour. Apart from those of signing in and from other holders', so
-- a thief uses up nobody's but their own. Codes as keyed HMACs.
create table account_codes (
  purpose text not null check (purpose in ('reauthentication', 'factor_undo')),
  -- A session, or a change of a factor whose mailed link was opened.
  holder_id uuid not null,
  user_id uuid not null references users on delete cascade,
  -- The newest request: no mail of an earlier one goes out any more, and no code of it counts.
  request_id uuid not null unique,
  -- Drawn by the task that sends; null until then.
  secret_key_id text,
  code_hmac bytea,
  wrong_tries int not null default 0 check (wrong_tries between 0 and 5),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  sent_at timestamptz[] not null,
  wrong_at timestamptz[] not null default '{}',
  updated_at timestamptz not null,
  primary key (purpose, holder_id),
  check ((code_hmac is null) = (secret_key_id is null))
);
create index account_codes_user on account_codes (user_id);
create index account_codes_age on account_codes (updated_at);

-- Codes that stand in for the authenticator, each once. They are the person's and not one factor's: any of them opens the second
-- step, whichever app was lost.
create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hmac bytea not null,
  secret_key_id text not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (user_id, code_hmac)
);

-- Every change of a second factor that counts, for as long as the link in its mail can undo it (ADR 0031). A factor that was
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

-- Keys and records

create table signing_keys (
  kid text primary key,
  alg text not null check (alg = 'ES256'),
  public_jwk jsonb not null,
  -- Private JWK, AES-256-GCM under the key that secret_key_id names.
  private_sealed bytea not null,
  secret_key_id text not null,
  state text not null check (state in ('published', 'signing', 'retired')),
  created_at timestamptz not null,
  -- A key is published before it signs, and goes on being published until the last token that it signed has gone.
  signs_from timestamptz not null,
  signed_until timestamptz
);
create unique index signing_keys_one_signs on signing_keys (state) where state = 'signing';

-- Every act with its actor and place. No secrets; addresses of people without a user only as a keyed hash.
create table audit_log (
  id uuid primary key,
  at timestamptz not null,
  action text not null,
  -- The user who acted or was acted for; kept when the user is gone.
  user_id uuid,
  session_id uuid,
  -- Keyed hash of the mail address, for what happens before anybody knows who asks.
  email_hmac text,
  -- The object or the way: a factor's id, a scope, a method.
  detail text,
  ip inet,
  user_agent text
);
create index audit_log_at on audit_log (at);
create index audit_log_user on audit_log (user_id, at);
create index audit_log_email on audit_log (email_hmac, at) where email_hmac is not null;

-- Accounts

-- A name as a hasty reader sees it (ADR 0084): in small letters, `0` as o, `1` and `i` as l, `rn` as m, without dashes, and
-- without official, real and the as whole words at an end. Two names with the same text look alike.
create function username_skeleton(name text) returns text
  language sql immutable strict parallel safe
  return replace(
    translate(
      regexp_replace(
        regexp_replace(
          translate(lower(name collate "C"), '01i', 'oll'),
          -- Their own letters are read as the others are: official is offlclal.
          '^((the|real|offlclal)[-_]+)+(?=.)', ''
        ),
        '([-_]+(the|real|offlclal))+[-_]*$', ''
      ),
      '-_', ''
    ),
    'rn', 'm'
  );

-- One account a user, made at its first look. The username is set once and never changes (docs/specification.md section 4).
create table accounts (
  user_id uuid primary key references users on delete cascade,
  username text check (username ~ '^[A-Za-z0-9][A-Za-z0-9_-]{2,14}$'),
  username_set_at timestamptz,
  created_at timestamptz not null,
  check ((username is null) = (username_set_at is null))
);
-- A name's letters are folded and compared by their bytes, whatever the database's own language is: in Turkish the small I has no
-- dot, so that nobody would find Ilya by "ilya", and a second Ilya could take the name. One index serves uniqueness, names and
-- beginnings.
create unique index accounts_username on accounts (lower(username collate "C"));
create index accounts_username_skeleton on accounts (username_skeleton(username));

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

-- Feedback, kept with its author (rule G-64). The same words of the same person are kept once, so that a
-- call whose answer was lost can be repeated.
create table feedback (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  body text not null check (char_length(body) between 1 and 500),
  created_at timestamptz not null,
  unique (user_id, body)
);
create index feedback_newest on feedback (created_at desc, id desc);
