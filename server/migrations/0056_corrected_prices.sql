-- An operator sets one price of a position right (decision G-47): an event with a mail. A position can be corrected more than once a day.
alter table position_adjustments
  -- 0 for what is counted once a day; of a correction the number of its event.
  add column nth bigint not null default 0,
  add column corrected text check (corrected in ('open', 'close')),
  add column price_before numeric(18, 6),
  add column price_after numeric(18, 6),
  -- Why, as followers read it.
  add column explained text,
  drop constraint position_adjustments_reason_check,
  add constraint position_adjustments_reason_check check (reason in ('split', 'delisting', 'price')),
  drop constraint position_adjustments_event_whole,
  add constraint position_adjustments_event_whole check (
    num_nonnulls(event_no, new_shares, old_shares) in (0, 3)
    or (reason = 'price' and event_no is not null and num_nonnulls(new_shares, old_shares) = 0)
  ),
  add constraint position_adjustments_corrected_whole check (
    num_nonnulls(corrected, price_before, price_after, explained) = 4 * (reason = 'price')::int
  ),
  drop constraint position_adjustments_pkey,
  add constraint position_adjustments_pkey primary key (trader_id, position_id, reason, effective_on, nth);
