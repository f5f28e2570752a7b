-- Number and work of an event are written by one statement, before the event itself: what is spread over nodes is written by
-- statements of its own (decision 0069). Work is of this transaction's event, and events are never deleted.
alter table event_work drop constraint event_work_trader_id_event_no_fkey;
