-- Past its plan an open position is public (decisions G-16 and 0086). The rule is `publicAt` of contract/src/kept-plan.ts, by which an
-- opening writes both columns; here it is written once more for what was opened before. Days have 24 hours whatever a time zone does.
alter table positions
  -- From when on everybody is shown it while it is open. Null: opened by the version before, and not filled in yet.
  add column public_at timestamptz,
  -- When its trader is mailed of that; null once they have been.
  add column public_mail_due timestamptz;

update positions set public_at = opened_at + case hold_length when 'less_than_one_week' then 8 when 'one_to_three_weeks' then 22
    when 'one_to_three_months' then 93 when 'three_to_six_months' then 185 else 366 end * interval '24 hours'
  where closed_at is null;
-- What is past its plan at the upgrade is announced at once and public after seven days.
update positions set
    public_at = greatest(public_at, now() + interval '168 hours'),
    public_mail_due = case when public_at <= now() then now()
      else greatest(public_at, now() + interval '168 hours') - interval '48 hours' end
  where closed_at is null;

-- What the sweep looks for.
create index positions_public_mail_due on positions (public_mail_due) where public_mail_due is not null and closed_at is null;
create index positions_public_unknown on positions (trader_id) where public_at is null and closed_at is null;

-- Plans kept go by the same rule from now on.
update trader_stats set kept_count = record.kept
from (
  select trader_id, count(*) filter (
      where closed_at < opened_at + case hold_length when 'less_than_one_week' then 8 when 'one_to_three_weeks' then 22
        when 'one_to_three_months' then 93 when 'three_to_six_months' then 185 else 366 end * interval '24 hours'
    ) as kept
  from positions where closed_at is not null and not unsettled and struck_at is null group by trader_id
) record
where record.trader_id = trader_stats.trader_id and record.kept <> trader_stats.kept_count;

-- Processes keep what they have read until it rises (decision 0070).
update traders set last_event_no = last_event_no + 1
  where trader_id in (select trader_id from positions where closed_at is null);
