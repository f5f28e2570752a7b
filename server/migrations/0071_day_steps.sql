-- What is under way of the night's days (decision 0098): written with each page of traders, so that a run that was cut off goes on from
-- there. A version has one row while days are missing, and none when day_runs tells the truth.
create table day_steps (
  version int primary key,
  -- The days that the step computes for each trader: from one on, to a session.
  from_day date not null,
  through date not null,
  -- Traders up to this id have them.
  done_to uuid not null,
  -- Changes since then are computed with them; null once that is done for everybody.
  changed_since timestamptz,
  -- When the days were begun, which is what they will be as new as.
  began_at timestamptz not null
);
