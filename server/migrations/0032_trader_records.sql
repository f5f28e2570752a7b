-- Counted with the sum of gains, in the transaction of the close (decision 0052): closed with a gain, and closed within the plan.
alter table trader_stats
  add column win_count int not null default 0 check (win_count >= 0),
  add column kept_count int not null default 0 check (kept_count >= 0);

-- The rule is `keepsPlan` of contract/src/kept-plan.ts, which `statistics:recount` counts by; here it is written once more for
-- what was closed before. Days are counted from a Monday: five of each week, and those of the last one.
with closed as (
  select trader_id, hold_length, percentage_gain,
    (opened_at at time zone 'UTC')::date - date '1970-01-05' as opened,
    (closed_at at time zone 'UTC')::date - date '1970-01-05' as closed
  from positions where closed_at is not null
), counted as (
  select trader_id, percentage_gain,
    floor(closed / 7.0) * 5 + least(closed - floor(closed / 7.0) * 7 + 1, 5)
      - floor(opened / 7.0) * 5 - least(opened - floor(opened / 7.0) * 7 + 1, 5)
      <= case hold_length when 'less_than_one_week' then 4 when 'one_to_three_weeks' then 12
        when 'one_to_three_months' then 48 when 'three_to_six_months' then 108 else 1000000 end as kept
  from closed
)
update trader_stats set win_count = record.wins, kept_count = record.kept
from (
  select trader_id, count(*) filter (where percentage_gain > 0) as wins, count(*) filter (where kept) as kept
  from counted group by trader_id
) record
where record.trader_id = trader_stats.trader_id;

-- The list of closed positions in its other orders; the middle, the first and the last of each are the record's.
create index positions_closed_gain on positions (trader_id, percentage_gain, id) where closed_at is not null;
create index positions_closed_held on positions (trader_id, extract(epoch from closed_at - opened_at), id)
  where closed_at is not null;
