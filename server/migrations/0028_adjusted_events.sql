-- A split changes a price that was published, so it is an event with a mail. A position can be split more than once.
alter table position_events
  drop constraint position_events_kind_check,
  add constraint position_events_kind_check check (kind in ('opened', 'closed', 'adjusted')),
  drop constraint position_events_trader_id_position_id_kind_key,
  -- A record that others were mailed about does not go with its author: whoever published is not deleted by a cascade.
  drop constraint position_events_trader_id_position_id_fkey,
  add constraint position_events_position foreign key (trader_id, position_id) references positions (trader_id, id);
create unique index position_events_opened_and_closed_once on position_events (trader_id, position_id, kind)
  where kind <> 'adjusted';

-- The event of a split, and the split. Adjustments from before have none.
alter table position_adjustments
  add column event_no bigint,
  add column new_shares int check (new_shares > 0),
  add column old_shares int check (old_shares > 0),
  add constraint position_adjustments_event_whole check (num_nonnulls(event_no, new_shares, old_shares) in (0, 3)),
  add constraint position_adjustments_event foreign key (trader_id, event_no)
    references position_events (trader_id, event_no);
create unique index position_adjustments_of_event on position_adjustments (trader_id, event_no)
  where event_no is not null;
