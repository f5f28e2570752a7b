-- Who reads the events of positions. Adding a reader is a row here and code that takes its work (docs/decisions/0034).
create table event_readers (
  name text primary key,
  registered_at timestamptz not null
);

-- What a reader has still to do: written with the event by the same statement, deleted when the reader has done it.
-- Readers take a trader's events in order. One that was tried in vain too often is parked and holds up none behind it.
create table event_work (
  trader_id uuid not null,
  reader text not null references event_readers,
  event_no bigint not null,
  -- Of the event.
  created_at timestamptz not null,
  tries int not null default 0,
  retry_at timestamptz,
  -- Worker whose database session holds the advisory lock of this number (see worker_numbers).
  lease_owner int,
  leased_at timestamptz,
  parked_at timestamptz,
  -- Why the last try failed, in words without addresses or notes.
  last_fault text,
  primary key (trader_id, reader, event_no),
  foreign key (trader_id, event_no) references position_events on delete cascade
);
create index event_work_waiting on event_work (reader, created_at) where parked_at is null;

-- Traders whose earlier events a new reader has still to be given. Until then it is given none of theirs: order.
create table event_backfills (
  trader_id uuid not null,
  reader text not null references event_readers,
  -- The last event from before the reader was registered.
  last_event_no bigint not null,
  primary key (trader_id, reader)
);
create index event_backfills_of_reader on event_backfills (reader);

-- A process of the version before writes events without work. A worker finds them here and writes it.
alter table position_events add column work_written boolean not null default true;
alter table position_events alter column work_written set default false;
create index position_events_without_work on position_events (created_at) where not work_written;

-- The planner of mails is the first reader. What was not planned yet waits for it.
insert into event_readers (name, registered_at) values ('mail', now());
insert into event_work (trader_id, reader, event_no, created_at)
select trader_id, 'mail', event_no, created_at from position_events where planned_at is null;

-- How far the deliveries of an event are planned, and for how many. It takes the place of planned_at and audience_size of
-- position_events, which are still written for processes of the version before.
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
insert into mail_plans (trader_id, event_no, channel, audience_size, planned_at)
select trader_id, event_no, 'mail', coalesce(audience_size, 0), planned_at
from position_events where planned_at is not null or audience_size is not null;

-- The defaults are for processes of the version before.
alter table delivery_ranges add column channel text not null default 'mail';
create unique index delivery_ranges_of_channel on delivery_ranges (trader_id, event_no, channel, from_mail_no);
drop index delivery_ranges_open;
create index delivery_ranges_open on delivery_ranges (channel, trader_id, event_no, from_mail_no)
  where done_at is null;

alter table delivery_exceptions add column channel text not null default 'mail';
create unique index delivery_exceptions_of_channel
  on delivery_exceptions (trader_id, event_no, channel, mail_no);
drop index delivery_exceptions_due;
create index delivery_exceptions_due on delivery_exceptions (channel, retry_at) where state = 'retry';

-- Jobs that planned an event; what they were for waits for the reader.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs where task_id in
      (select id from graphile_worker._private_tasks where identifier = 'position.announced');
  end if;
end
$$;
