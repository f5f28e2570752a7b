-- Every mail to a single reader, from the transaction of its cause until it has ended (decision 0035). A row holds no address,
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
  -- What happened, where it is mailed to somebody once; of a mail to the operator, what it is about.
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
  -- time for tries was over; `left`: the version before sends it, from money_mails.
  ended_as text check (ended_as in ('sent', 'unneeded', 'refused', 'given up', 'left')),
  check ((ended_at is null) = (ended_as is null)),
  check ((lease_owner is null) = (leased_at is null)),
  check (lease_owner is null or ended_at is null)
);
create index outbox_waiting on outbox (lane, due_at) where ended_at is null;
-- What is to be forgotten.
create index outbox_ended on outbox (ended_at) where ended_at is not null and facts <> '{}';
create index outbox_reader on outbox (user_id) where user_id is not null;
-- A cause is mailed to a person once, whatever runs twice; the operator gets no second mail about it while one waits.
create unique index outbox_causes on outbox (kind, user_id, cause) where user_id is not null and cause is not null;
create unique index outbox_notices on outbox (kind, cause)
  where user_id is null and cause is not null and ended_at is null;

-- While processes of the version before still run, each version knows the causes of the other. What the version before owes
-- is noted here as `left`: it has a job, which a worker of this version turns into a mail of the outbox (adopt-jobs.queries.ts).
-- What this version owes is noted there without facts, which makes nothing to send. Both go with money_mails.
create function note_money_mail() returns trigger language plpgsql as $$
begin
  insert into outbox (id, kind, lane, user_id, facts, cause, created_at, due_at, expires_at, ended_at, ended_as)
  values (new.id, new.kind, 'other', new.user_id, new.facts, new.cause, new.created_at, new.created_at,
    new.created_at + interval '4 days', new.created_at, 'left')
  on conflict do nothing;
  return null;
end $$;
create trigger note_in_outbox after insert on money_mails
  for each row when (pg_trigger_depth() = 0) execute function note_money_mail();

-- The trigger's lock keeps anybody from owing a mail meanwhile.
insert into outbox (id, kind, lane, user_id, facts, cause, created_at, due_at, expires_at, ended_at, ended_as)
select id, kind, 'other', user_id, facts, cause, created_at, created_at, created_at + interval '4 days',
  coalesce(sent_at, created_at), case when sent_at is null then 'left' else 'sent' end
from money_mails;

create function note_outbox_mail() returns trigger language plpgsql as $$
begin
  insert into money_mails (id, kind, user_id, cause, facts, created_at)
  values (new.id, new.kind, new.user_id, new.cause, '{}', new.created_at)
  on conflict do nothing;
  return null;
end $$;
create trigger note_in_money_mails after insert on outbox
  for each row when (pg_trigger_depth() = 0 and new.cause is not null and new.kind in (
    'payment_problem', 'subscription_ended', 'double_payment_returned', 'trader_unavailable', 'payouts_lost',
    'payment_disputed', 'collection_paused', 'collection_resumed', 'payouts_paused',
    'account_suspended', 'account_restored'
  )) execute function note_outbox_mail();
