-- A share trades under another ticker from a day on (decision 0080): positions of before go on under the new one, each with an event.
alter table position_adjustments
  add column symbol_before text check (symbol_before = upper(symbol_before)),
  add column symbol_after text check (symbol_after = upper(symbol_after)),
  drop constraint position_adjustments_reason_check,
  add constraint position_adjustments_reason_check check (reason in ('split', 'delisting', 'price', 'struck', 'renamed')),
  drop constraint position_adjustments_event_whole,
  add constraint position_adjustments_event_whole check (
    num_nonnulls(event_no, new_shares, old_shares) in (0, 3)
    or (reason in ('price', 'struck', 'renamed') and event_no is not null and num_nonnulls(new_shares, old_shares) = 0)
  ),
  add constraint position_adjustments_renamed_whole check (
    num_nonnulls(symbol_before, symbol_after) = 2 * (reason = 'renamed')::int and symbol_before <> symbol_after
  );
