-- Up to which event of a trader somebody has seen in Activity (decision 0062). Numbers and not times: an event that is committed
-- later has a later number, whatever the clocks say, so marking as read never takes in what nobody was shown.
create table activity_reads (
  user_id uuid not null references users on delete cascade,
  trader_id uuid not null references users on delete cascade,
  event_no bigint not null,
  primary key (user_id, trader_id)
);
-- What was published before there was an Activity was read as mails.
insert into activity_reads (user_id, trader_id, event_no)
select distinct subscription.subscriber_id, subscription.trader_id, head.last_event_no
from subscriptions subscription join traders head on head.trader_id = subscription.trader_id
where subscription.entitled_from_event is not null and head.last_event_no > 0;

-- A page takes the newest events of each trader; figures of delivery those of a day or a week.
create index position_events_newest on position_events (trader_id, created_at desc, event_no desc);
create index position_events_by_time on position_events (created_at);

-- A range tells when its mails went, but not whom it passed over: who had switched the trader's mails off, was suspended or could
-- not be mailed. When that ends, the trader's last event is noted, and of events up to it nobody is told when their mail went.
-- By triggers, so that processes of the version before do it too.
alter table subscriptions add column mails_unknown_until_event bigint;

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
