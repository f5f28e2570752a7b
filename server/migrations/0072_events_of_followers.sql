-- Readers that only act for followers have no work where a trader has none (decision 0100). A worker of the version before
-- registers its readers without the column: they get all events, as before.
alter table event_readers add column followers_only boolean not null default false;

-- Draws the number of a trader's next event, one more than the last committed, and writes the work of each reader.
-- The first statement waits for whoever changes the trader's followers. The second one begins after that wait, so it sees those
-- that were committed meanwhile; one statement for both would look at the followers of before.
-- An event that is drawn now finds as followers those whose entitlement has begun and not ended: the formula above the table of
-- subscriptions (0006_subscriptions.sql), for a number that is higher than all that are there.
create function draw_event(of_trader uuid, moment timestamptz, out drawn bigint, out has_work boolean) language plpgsql as $$
begin
  update traders set last_event_no = last_event_no + 1 where trader_id = of_trader returning last_event_no into drawn;
  if drawn is null then
    return;
  end if;
  insert into event_work (trader_id, reader, event_no, created_at)
  select of_trader, name, drawn, moment from event_readers
  where not followers_only or exists (
    select from subscriptions
    where trader_id = of_trader and entitled_from_event is not null and entitled_until_event is null
  );
  has_work := found;
end $$;
