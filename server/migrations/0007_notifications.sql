-- A range of an event's frozen audience: subscriptions with from_mail_no < mail_no <= to_mail_no. One range belongs to
-- one SMTP connection; progress_mail_no is the last one settled, written before that connection sends its next mail.
create table delivery_ranges (
  trader_id uuid not null,
  event_no bigint not null,
  from_mail_no bigint not null,
  to_mail_no bigint not null check (to_mail_no > from_mail_no),
  progress_mail_no bigint not null,
  -- Worker whose database session holds the advisory lock of this number (see worker_numbers below).
  lease_owner int,
  leased_at timestamptz,
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  sent_count int not null default 0,
  done_at timestamptz,
  created_at timestamptz not null,
  primary key (trader_id, event_no, from_mail_no),
  check (progress_mail_no between from_mail_no and to_mail_no),
  foreign key (trader_id, event_no) references position_events on delete cascade
) with (fillfactor = 50); -- Progress rewrites a row once a mail: with room in its page that touches no index.
create index delivery_ranges_open on delivery_ranges (trader_id, event_no, from_mail_no) where done_at is null;

-- A row only for a recipient that needs a retry or was refused; the rest of a range needs none. 'skipped' is one who
-- unsubscribed or was suspended before the retry came.
create table delivery_exceptions (
  trader_id uuid not null,
  event_no bigint not null,
  mail_no bigint not null,
  state text not null check (state in ('retry', 'sent', 'refused', 'failed', 'skipped')),
  tries int not null,
  retry_at timestamptz,
  smtp_code int,
  lease_owner int,
  leased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (trader_id, event_no, mail_no),
  check ((state = 'retry') = (retry_at is not null)),
  foreign key (trader_id, event_no) references position_events on delete cascade
);
create index delivery_exceptions_due on delivery_exceptions (retry_at) where state = 'retry';

-- Addresses that a mail server refused for good.
create table suppressions (
  user_id uuid primary key references users on delete cascade,
  smtp_code int not null,
  created_at timestamptz not null
);

-- Every start of a worker takes a number of its own; nobody ever leases under a dead one's.
create sequence worker_numbers as int;
