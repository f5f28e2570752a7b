-- What a trader's curve shows to people who may not see open positions (decision 0054).

alter table trader_days
  -- As day_return, over the positions that everybody may know of: those that are closed, and open ones past their plan. Null when
  -- there was none of them.
  add column shown_return numeric(24, 10);

alter table score_runs
  -- Version of what trader_days holds; days of another version are computed again.
  add column days_version int not null default 1;
