-- Changing the second step of signing in takes the mailbox: a session that was signed in to more than five minutes ago
-- proves it again by a mailed code (decision 0031). Null: not since it was signed in to.
alter table sessions add column reauthenticated_at timestamptz;

-- Codes mailed to the owner of an account for somebody who holds something of it already: one row a holder, with the counts of
-- what that holder was mailed and guessed wrong in the last hour. Apart from those of signing in and from other holders', so
-- a thief uses up nobody's but their own. Codes as keyed HMACs, as in 0001.
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
