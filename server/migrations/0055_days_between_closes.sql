-- The score counts from close to close (decision 0077).
-- Null in a session that counts in the score alone: all of the day's positions ended after the bell before it.
alter table trader_days alter column day_return drop not null;
-- What was published of a position beside its opening and its close, which the night's job looks for.
create index position_events_changes on position_events (trader_id, created_at) where kind not in ('opened', 'closed');
