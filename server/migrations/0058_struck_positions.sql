-- An operator strikes a position (decision 0079): it counts nowhere from then on, and stays in lists, marked as struck.
alter table positions
  add column struck_at timestamptz,
  -- Why, as everybody reads it beside the position.
  add column struck_reason text check (char_length(struck_reason) between 1 and 500),
  add constraint positions_struck_whole check ((struck_at is null) = (struck_reason is null));

alter table position_adjustments
  drop constraint position_adjustments_reason_check,
  add constraint position_adjustments_reason_check check (reason in ('split', 'delisting', 'price', 'struck')),
  drop constraint position_adjustments_event_whole,
  add constraint position_adjustments_event_whole check (
    num_nonnulls(event_no, new_shares, old_shares) in (0, 3)
    or (reason in ('price', 'struck') and event_no is not null and num_nonnulls(new_shares, old_shares) = 0)
  ),
  drop constraint position_adjustments_corrected_whole,
  add constraint position_adjustments_corrected_whole check (
    num_nonnulls(corrected, price_before, price_after) = 3 * (reason = 'price')::int
    and (explained is not null) = (reason in ('price', 'struck'))
  );
