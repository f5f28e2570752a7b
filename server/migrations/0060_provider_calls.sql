-- Calls to the price provider within the last minute, so that all processes together make no more than its plan allows, and that those
-- that matter most come first (decision 0081). A row is a call.
create table provider_calls (
  asked_at timestamptz not null,
  -- Whose part of the minute it was: of closes, of openings by traders who are followed, of everything else.
  pool text not null check (pool in ('closes', 'followed', 'others')),
  -- Null for what nobody waits for: settlements, marks, closes of the day.
  person_id uuid
);
create index provider_calls_asked_at on provider_calls (asked_at);

-- One empty answer is not the end of a share: on how many session days there was nothing else, and the last of them. gone_at is the third.
alter table symbol_marks
  add column empty_days int not null default 0 check (empty_days >= 0),
  add column empty_on date;
-- Those that one answer had ended are asked again.
update symbol_marks set gone_at = null where gone_at is not null;

-- Null once the price was plausible again: what looks wrong later looks wrong from then on.
alter table suspect_prices alter column since drop not null;
