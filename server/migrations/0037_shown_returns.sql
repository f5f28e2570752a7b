-- What is shown of a trader's days to people who may not see open positions (decision 0054): over the positions that everybody may
-- know of, which are closed ones and open ones past their plan. Null when there was none of them.

alter table trader_days
  -- As day_return.
  add column shown_return numeric(24, 10),
  -- As excess. Scores are made of it; excess is for the version before.
  add column shown_excess numeric(24, 10);

-- How far trader_days is computed. A version of what it holds has one row, so that the version before, which knows only score_runs,
-- changes nothing of what this one knows.
create table day_runs (
  version int primary key,
  -- The last session.
  as_of date not null,
  ran_at timestamptz not null
);
