-- Another address for an account (rule G-119, ADR 0123): a code to the old mailbox and one to the new, and for 72 hours a way back.

-- The change that a person has asked for and not finished: one at a time, a second takes its place. It lives in the session that asked
-- for it, and ends with that.
create table email_changes (
  user_id uuid primary key references users on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  new_email text not null check (new_email = lower(new_email) and char_length(new_email) <= 255),
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the code of a mailbox was typed.
  old_proved_at timestamptz,
  new_proved_at timestamptz
);
create index email_changes_session on email_changes (session_id);
create index email_changes_new_email on email_changes (new_email);
create index email_changes_expiry on email_changes (expires_at);

-- Every change that was made, for as long as the link in its mail takes it back. Until then nobody else gets the old address.
create table email_undos (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  old_email text not null,
  new_email text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- An earlier change was taken back, and this one with it.
  overtaken_at timestamptz
);
create index email_undos_user on email_undos (user_id, created_at);
create index email_undos_old_email on email_undos (old_email);
create index email_undos_expiry on email_undos (expires_at);

-- Codes of both mailboxes. Their holder is the session that asked; tries without its token are a stranger's, and counted apart.
alter table account_codes
  drop constraint account_codes_purpose_check,
  add constraint account_codes_purpose_check
    check (purpose in ('reauthentication', 'factor_undo', 'old_email', 'new_email')),
  add column known_wrong_tries int not null default 0,
  add column known_wrong_at timestamptz[] not null default '{}',
  add constraint account_codes_known_wrong_tries_check check (known_wrong_tries between 0 and 5);
