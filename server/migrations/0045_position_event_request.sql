-- The request that published an event, as the log and the answer name it: with it one search finds the opening, its readers and its
-- mails (decision 0065). Null for what no request published, and for events of the version before.
alter table position_events add column request_id text;

-- What a reader gave up is counted at every scrape.
create index event_work_parked on event_work (reader, parked_at) where parked_at is not null;
