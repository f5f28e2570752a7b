-- What is told of mails after a mail server has taken them: bounces and complaints (decision 0066).

-- Why somebody is not mailed: refused at the mail server's door, reported later that it cannot be delivered, or reported as unwanted.
-- What is told later may come without a reply code.
alter table suppressions
  alter column smtp_code drop not null,
  add column cause text not null default 'refused' check (cause in ('refused', 'bounced', 'complained'));

-- One row for each mail of which something was told, whatever tells it how often.
create table mail_reports (
  kind text not null check (kind in ('bounce', 'complaint')),
  -- The person who got the mail, or the id of a mail to somebody without an account; with the tag it names the mail.
  reader_id uuid not null,
  tag bytea not null check (octet_length(tag) = 4),
  topic text not null check (topic in ('positions', 'money', 'security', 'sign-in', 'operator')),
  -- Null where the reader has no account.
  user_id uuid references users on delete cascade,
  source text not null check (source in ('mailbox', 'mailgun')),
  -- The enhanced status code (RFC 3463) and the reply code, where there were any.
  status text,
  smtp_code int,
  -- Whom it concerns; see platform/smtp-outcome.ts.
  about text not null check (about in ('address', 'recipient', 'policy')),
  -- Whether it is held against its recipient.
  counts boolean not null,
  reported_at timestamptz not null,
  primary key (kind, reader_id, tag)
);
create index mail_reports_of_user on mail_reports (user_id, reported_at) where user_id is not null;
create index mail_reports_latest on mail_reports (reported_at);

-- What came that is no report of a mail of ours, or none that counts, by day: a number and a reason, nothing of its content.
create table unread_reports (
  day date not null,
  source text not null check (source in ('mailbox', 'mailgun')),
  reason text not null,
  count int not null check (count > 0),
  primary key (day, source, reason)
);

-- One row: when the mailbox of reports is read next, and how that went. Whoever moves `next_at` on has the turn.
create table report_mailbox (
  only_one boolean primary key default true check (only_one),
  next_at timestamptz not null,
  read_at timestamptz,
  failures int not null default 0 check (failures >= 0)
);
insert into report_mailbox (next_at) values ('epoch');

-- Signatures of webhooks that were taken, so that none is taken twice: hashes, kept for as long as they could be repeated.
create table mailgun_signatures (
  hash bytea primary key check (octet_length(hash) = 32),
  seen_at timestamptz not null
);
create index mailgun_signatures_seen on mailgun_signatures (seen_at);
