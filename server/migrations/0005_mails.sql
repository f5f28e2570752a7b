-- Mails, and what is told of them after a mail server has taken them.

-- Mails to a single reader

-- Every mail to a single reader, from the transaction of its cause until it has ended (ADR 0035). A row holds no address,
-- code, link or token: addresses are read and secrets drawn when a mail is sent.
create table outbox (
  -- The left side of the Message-ID, the same at every try.
  id uuid primary key,
  -- A name of the registry of mails in emails/src/render.tsx.
  kind text not null,
  -- Sign-in mails have connections that no other mail can fill.
  lane text not null check (lane in ('sign-in', 'other')),
  -- Null for a mail to the operator, and for a sign-in mail, whose address may have no user.
  user_id uuid references users on delete cascade,
  facts jsonb not null,
  -- The occasion, where it is mailed to somebody once; of a mail to the operator, its subject.
  cause text,
  created_at timestamptz not null,
  due_at timestamptz not null,
  tries int not null default 0,
  -- No further try after this.
  expires_at timestamptz not null,
  -- The window of AUTH_MAIL_LIMIT in which it has a place, until it is certain that it has gone.
  place_in timestamptz,
  -- The worker that sends it, as of delivery_ranges.
  lease_owner int,
  leased_at timestamptz,
  -- Why the last try failed, in words that quote nobody.
  fault text,
  ended_at timestamptz,
  -- `unneeded`: there was nothing (more) to send, or nobody who may get it; `refused`: it will never be taken; `given up`: the
  -- time for tries was over.
  ended_as text check (ended_as in ('sent', 'unneeded', 'refused', 'given up')),
  check ((ended_at is null) = (ended_as is null)),
  check ((lease_owner is null) = (leased_at is null)),
  check (lease_owner is null or ended_at is null)
);
create index outbox_waiting on outbox (lane, due_at) where ended_at is null;
-- For the purge.
create index outbox_ended on outbox (ended_at) where ended_at is not null and facts <> '{}';
create index outbox_reader on outbox (user_id) where user_id is not null;
-- A cause is mailed to a person once, whatever runs twice; the operator gets no second mail about it while one waits.
create unique index outbox_causes on outbox (kind, user_id, cause) where user_id is not null and cause is not null;
create unique index outbox_notices on outbox (kind, cause)
  where user_id is null and cause is not null and ended_at is null;

-- When the operator was last given cause for a mail of a kind, sent or held back: as long as it goes on, one is enough.
create table operator_notices (
  kind text primary key,
  seen_at timestamptz not null
);

-- Mails of an event to its followers

-- How far the deliveries of an event are planned, and for how many.
create table mail_plans (
  trader_id uuid not null,
  event_no bigint not null,
  -- By which way it reaches people. Each has its own plan, ranges and exceptions.
  channel text not null,
  audience_size int not null,
  -- Null until the plan is whole.
  planned_at timestamptz,
  primary key (trader_id, event_no, channel),
  foreign key (trader_id, event_no) references position_events on delete cascade
);

-- A range of an event's frozen audience: subscriptions with from_mail_no < mail_no <= to_mail_no. One range belongs to
-- one SMTP connection; progress_mail_no is the last one settled, written before that connection sends its next mail.
create table delivery_ranges (
  trader_id uuid not null,
  event_no bigint not null,
  channel text not null default 'mail',
  from_mail_no bigint not null,
  to_mail_no bigint not null check (to_mail_no > from_mail_no),
  progress_mail_no bigint not null,
  -- Worker whose database session holds the advisory lock of this number (see worker_numbers).
  lease_owner int,
  leased_at timestamptz,
  -- A refusal of us as the sender holds a range: nobody works on it before this instant. `holds` counts how often in a row.
  held_until timestamptz,
  held_at timestamptz,
  holds int not null default 0 check (holds >= 0),
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  sent_count int not null default 0,
  done_at timestamptz,
  created_at timestamptz not null,
  primary key (trader_id, event_no, from_mail_no),
  check (progress_mail_no between from_mail_no and to_mail_no),
  constraint delivery_ranges_held check ((held_until is null) = (held_at is null)),
  foreign key (trader_id, event_no) references position_events on delete cascade
) with (fillfactor = 50); -- Progress rewrites a row once a mail: with room in its page that touches no index.
create unique index delivery_ranges_of_channel on delivery_ranges (trader_id, event_no, channel, from_mail_no);
create index delivery_ranges_open on delivery_ranges (channel, trader_id, event_no, from_mail_no)
  where done_at is null;

-- A row only for a recipient that needs a retry or was refused; the rest of a range needs none. 'skipped' is one who
-- unsubscribed or was suspended before the retry came.
create table delivery_exceptions (
  trader_id uuid not null,
  event_no bigint not null,
  channel text not null default 'mail',
  mail_no bigint not null,
  state text not null check (state in ('retry', 'sent', 'refused', 'failed', 'skipped')),
  tries int not null,
  -- How many of the tries were refused (5xx); the others were deferred (4xx). Each has a schedule of its own.
  refusals int not null default 0,
  retry_at timestamptz,
  smtp_code int,
  lease_owner int,
  leased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (trader_id, event_no, mail_no),
  check ((state = 'retry') = (retry_at is not null)),
  check (refusals between 0 and tries),
  foreign key (trader_id, event_no) references position_events on delete cascade
);
create unique index delivery_exceptions_of_channel
  on delivery_exceptions (trader_id, event_no, channel, mail_no);
create index delivery_exceptions_due on delivery_exceptions (channel, retry_at) where state = 'retry';

-- People whom mails do not reach

-- Addresses that are not mailed.
create table suppressions (
  user_id uuid primary key references users on delete cascade,
  -- Why: refused at the mail server's door, reported later that it cannot be delivered, or reported as unwanted.
  cause text not null default 'refused' check (cause in ('refused', 'bounced', 'complained')),
  -- Null where what is told later came without a reply code.
  smtp_code int,
  -- The enhanced status code (RFC 3463) of the refusal, where the server gave one.
  smtp_status text,
  created_at timestamptz not null,
  -- A bounce says once that an address does not exist: no mail goes there until then, and the next one is tried (ADR 0089). Null: until
  -- the suppression is lifted.
  ends_at timestamptz
);
create index suppressions_ending on suppressions (ends_at) where ends_at is not null;

-- Events at which a person's server refused a mail although the address may exist. Three of them over three days suppress
-- the person; a mail that is taken deletes them.
create table mail_refusals (
  user_id uuid not null references users on delete cascade,
  trader_id uuid not null,
  event_no bigint not null,
  refused_at timestamptz not null,
  primary key (user_id, trader_id, event_no)
);

-- By triggers, so that every writer does it (mails_unknown_until_event of subscriptions).
create function note_passed_over(whose uuid, of_trader uuid) returns void language sql as $$
  update subscriptions set mails_unknown_until_event = head.last_event_no
  from traders head
  where subscriber_id = whose and head.trader_id = subscriptions.trader_id
    and (of_trader is null or subscriptions.trader_id = of_trader)
$$;
create function note_unmuted() returns trigger language plpgsql as $$
begin
  perform note_passed_over(new.subscriber_id, new.trader_id);
  return null;
end $$;
create function note_restored() returns trigger language plpgsql as $$
begin
  perform note_passed_over(new.id, null);
  return null;
end $$;
create function note_reachable() returns trigger language plpgsql as $$
begin
  perform note_passed_over(old.user_id, null);
  return null;
end $$;
create trigger note_unmuted after update of mail_muted_at on subscriptions
  for each row when (old.mail_muted_at is not null and new.mail_muted_at is null) execute function note_unmuted();
create trigger note_restored after update of suspended_at on users
  for each row when (old.suspended_at is not null and new.suspended_at is null) execute function note_restored();
create trigger note_reachable after delete on suppressions
  for each row execute function note_reachable();

-- Later reports of mails

-- Bounces and complaints (ADR 0066): one row for each mail of which something was told, whatever tells it how often.
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
  -- The person or the side it concerns; see server/src/mail/smtp/smtp-outcome.ts.
  about text not null check (about in ('address', 'recipient', 'policy')),
  -- Whether it is held against its recipient.
  counts boolean not null,
  reported_at timestamptz not null,
  primary key (kind, reader_id, tag)
);
create index mail_reports_of_user on mail_reports (user_id, reported_at) where user_id is not null;
create index mail_reports_latest on mail_reports (reported_at);

-- Arrivals that are no report of a mail of ours, or none that counts, by day: a number and a reason, nothing of its content.
create table unread_reports (
  day date not null,
  source text not null check (source in ('mailbox', 'mailgun')),
  reason text not null,
  count int not null check (count > 0),
  primary key (day, source, reason)
);

-- One row: when the mailbox of reports is read next, and how that went. The worker that moves `next_at` on has the turn.
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
