-- As 0006_activity_and_pushes.sql has it, but what is chosen is leased by one statement, and found by its place: a plan that was made while
-- the table was empty read all messages of a trader for each one.
create or replace function lease_pushes(worker int, stale_before timestamptz, moment timestamptz, most int, of_pair int, of_unproven int,
  of_person int, of_trader int)
returns table (trader_id uuid, event_no bigint, device_id uuid, tries int, created_at timestamptz)
language plpgsql
-- Its plan is made once a session, perhaps while the table is empty, when every way looks as good as the indexes of lanes and of leases.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  living int[];
  total int := 0;
  took int;
begin
  perform pg_advisory_xact_lock(7242, 0);
  -- As LIVING_WORKERS of platform/database/living-workers.ts; after the lock, since a worker that is not among them loses what it has leased.
  living := array(
    select objid::bigint::int from pg_locks
    where locktype = 'advisory' and classid = 7238 and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  );
  -- One round passes over a row where another one of the same person or trader came first; the next may take it.
  loop
    return query with recursive held as materialized (
        select trader_id, endpoint_host, user_id, share from push_deliveries
        where lease_owner is not null and leased_at >= stale_before and lease_owner = any(living)
      ), busy_people as materialized (
        select user_id from held group by user_id having count(*) >= of_person
      ), busy_traders as materialized (
        select trader_id from held group by trader_id having count(*) >= of_trader
      ), lanes as (
        -- From lane to lane along the index, however many messages are in each.
        (select share, trader_id, endpoint_host from push_deliveries where ended_at is null
         order by share, trader_id, endpoint_host limit 1)
        union all
        select next.share, next.trader_id, next.endpoint_host from lanes cross join lateral (
          select message.share, message.trader_id, message.endpoint_host from push_deliveries message
          where message.ended_at is null
            and (message.share, message.trader_id, message.endpoint_host) > (lanes.share, lanes.trader_id, lanes.endpoint_host)
          order by message.share, message.trader_id, message.endpoint_host limit 1
        ) next
      ), due as (
        select lanes.*, message.place, message.event_no, message.device_id, message.user_id, message.due_at,
          under_way.pair, under_way.unproven
        from lanes cross join lateral (
          select count(*) filter (where held.share > 0 and held.endpoint_host = lanes.endpoint_host) as pair,
            count(*) filter (where held.share > 0) as unproven, count(*) as every
          from held where held.trader_id = lanes.trader_id
        ) under_way cross join lateral (
          select message.ctid as place, message.event_no, message.device_id, message.user_id, message.due_at
          from push_deliveries message
          where message.share = lanes.share and message.trader_id = lanes.trader_id
            and message.endpoint_host = lanes.endpoint_host and message.ended_at is null and message.due_at <= moment
            and (message.lease_owner is null or message.leased_at < stale_before or message.lease_owner <> all(living))
            and message.user_id not in (select user_id from busy_people)
          order by message.due_at limit greatest(
            case when lanes.share = 0 then of_trader - under_way.every
              else least(of_pair - under_way.pair, of_unproven - under_way.unproven) end, 0)
        ) message
        where lanes.trader_id not in (select trader_id from busy_traders)
      ), ranked as (
        select *,
          pair + row_number() over (
            partition by trader_id, endpoint_host, share > 0 order by share = 2, due_at, event_no, device_id
          ) as nth_of_pair,
          unproven + row_number() over (partition by trader_id, share > 0 order by share = 2, due_at, event_no, device_id)
            as nth_unproven,
          row_number() over (partition by user_id order by share = 2, due_at, event_no, device_id)
            + (select count(*) from held where held.user_id = due.user_id) as nth_of_person,
          row_number() over (partition by trader_id order by share = 2, due_at, event_no, device_id)
            + (select count(*) from held where held.trader_id = due.trader_id) as nth_of_trader
        from due
      ), chosen as (
        select place from ranked
        where (share = 0 or (nth_of_pair <= of_pair and nth_unproven <= of_unproven))
          and nth_of_person <= of_person and nth_of_trader <= of_trader
        order by share = 2, due_at, event_no, device_id limit most - total
      ), free as (
        -- Past what somebody records at this moment: it would wait for them, with everybody behind it.
        select message.ctid as place from chosen join push_deliveries message on message.ctid = chosen.place
        where message.ended_at is null and message.due_at <= moment
          and (message.lease_owner is null or message.leased_at < stale_before or message.lease_owner <> all(living))
        for update of message skip locked
      )
      update push_deliveries message set lease_owner = worker, leased_at = moment from free where message.ctid = free.place
      returning message.trader_id, message.event_no, message.device_id, message.tries, message.created_at;
    get diagnostics took = row_count;
    total := total + took;
    exit when took = 0 or total >= most;
  end loop;
end $$;
