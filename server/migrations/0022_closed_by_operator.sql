-- Whoever closes a position at a price of the market redeems a preview. The operator, who closes what is left in a stock that
-- is gone (decision G-47), names the price and redeems none; those closes were given the id of a preview that never was.
alter table positions
  drop constraint positions_check,
  add column closed_by_operator boolean not null default false;

update positions set closed_by_operator = true, close_preview_id = null
where closed_at is not null and exists (
  select from position_adjustments a
  where a.trader_id = positions.trader_id and a.position_id = positions.id and a.reason = 'delisting'
);

alter table positions
  add constraint positions_closed_whole check (
    num_nonnulls(close_price, close_notes, closed_at, percentage_gain) in (0, 4)
  ),
  add constraint positions_closed_by_one check (
    (closed_at is not null) = (close_preview_id is not null or closed_by_operator)
    and not (close_preview_id is not null and closed_by_operator)
  );
