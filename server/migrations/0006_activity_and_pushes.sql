-- Activity, and notifications pushed to devices: the second channel of what is published (ADR 0063).

-- Up to which event of a trader somebody has seen in Activity (ADR 0062). Numbers and not times: an event that is committed
-- later has a later number, whatever the clocks say, so marking as read never takes in what nobody was shown.
create table activity_reads (
  user_id uuid not null references users on delete cascade,
  trader_id uuid not null references users on delete cascade,
  event_no bigint not null,
  primary key (user_id, trader_id)
);

-- Devices

-- Under which key pair the product speaks to push services (VAPID, RFC 8292). Browsers bind a subscription to the public key, so an
-- earlier pair is kept as long as devices use it.
create table push_keys (
  id uuid primary key,
  -- Uncompressed point of P-256, base64url.
  public_key text not null check (public_key ~ '^[A-Za-z0-9_-]{87}$'),
  -- Private scalar, AES-256-GCM under the key that secret_key_id names.
  private_sealed bytea not null,
  secret_key_id text not null,
  created_at timestamptz not null,
  -- Set once new devices get another pair.
  replaced_at timestamptz
);
create unique index push_keys_one_is_given on push_keys ((replaced_at is null)) where replaced_at is null;

-- A browser in which somebody has turned notifications on. It goes with the session in which that was done.
create table push_devices (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  session_id uuid not null unique references sessions on delete cascade,
  push_key_id uuid not null references push_keys,
  -- Where its push service takes messages: whoever turned notifications on last in a browser has them.
  endpoint text not null unique check (octet_length(endpoint) <= 1024 and endpoint ~ '^https?://[!-~]+$'),
  -- Messages are encrypted for these (RFC 8291).
  p256dh bytea not null check (octet_length(p256dh) = 65),
  auth_secret bytea not null check (octet_length(auth_secret) = 16),
  -- SHA-256 of what turns this device off without a sign-in, and the name of the AUTH_SECRET that it is derived from.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  token_secret_key_id text not null,
  user_agent text,
  created_at timestamptz not null,
  -- Since when nothing has arrived there; null while messages are taken.
  failing_since timestamptz,
  -- Its last tries, whichever messages they were of: 0 it took the last one; 1 it is new; 2 the last one failed; 3 the last two did.
  standing int not null default 1 check (standing between 0 and 3)
);
create index push_devices_of_user on push_devices (user_id);

-- By triggers, so that every writer does it.
create function drop_push_devices() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'sessions' then
    delete from push_devices where session_id = new.id;
  else
    delete from push_devices where user_id = new.id;
  end if;
  return null;
end $$;
create trigger drop_push_device_of_session after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function drop_push_devices();
create trigger drop_push_devices_of_suspended after update of suspended_at on users
  for each row when (old.suspended_at is null and new.suspended_at is not null) execute function drop_push_devices();

-- Messages

-- A message to a device about an event. It stays when it has ended, so that an event that is planned again finds it.
create table push_deliveries (
  trader_id uuid not null,
  event_no bigint not null,
  device_id uuid not null references push_devices on delete cascade,
  -- Of its device, so that what is due is found by an index (ADR 0085). Triggers write them, for every writer.
  user_id uuid,
  -- Host and port of the endpoint.
  endpoint_host text,
  -- By its device: 0 that took its last message, 2 that failed twice and comes after all others that are due, 1 any other.
  share int not null default 1,
  -- Of the event.
  created_at timestamptz not null,
  due_at timestamptz not null,
  tries int not null default 0,
  -- Worker whose database session holds the advisory lock of this number (see worker_numbers).
  lease_owner int,
  leased_at timestamptz,
  ended_at timestamptz,
  ended_as text check (ended_as in ('sent', 'refused', 'given up', 'unneeded')),
  -- Why the last try failed, in words without addresses.
  fault text,
  primary key (trader_id, event_no, device_id),
  check ((ended_at is null) = (ended_as is null)),
  foreign key (trader_id, event_no) references position_events on delete cascade
) with (fillfactor = 70);
create index push_deliveries_ended on push_deliveries (ended_at) where ended_at is not null;
create index push_deliveries_of_device on push_deliveries (device_id);
create index push_deliveries_lanes on push_deliveries (share, trader_id, endpoint_host, due_at) where ended_at is null;
create index push_deliveries_leased on push_deliveries (leased_at) where lease_owner is not null;

create function host_of_endpoint(endpoint text) returns text language sql immutable
  return regexp_replace(split_part(lower(endpoint), '/', 3), ':443$', '');

create function share_of_standing(standing int) returns int language sql immutable
  return case standing when 0 then 0 when 3 then 2 else 1 end;

create function note_push_device() returns trigger language plpgsql as $$
begin
  select device.user_id, host_of_endpoint(device.endpoint), share_of_standing(device.standing)
    into new.user_id, new.endpoint_host, new.share
  from push_devices device where device.id = new.device_id;
  return new;
end $$;
create trigger note_push_device before insert on push_deliveries for each row execute function note_push_device();

create function follow_push_device() returns trigger language plpgsql as $$
begin
  update push_deliveries set endpoint_host = host_of_endpoint(new.endpoint), share = share_of_standing(new.standing)
  where device_id = new.id and ended_at is null;
  return null;
end $$;
create trigger follow_push_device after update of endpoint, standing on push_devices
  for each row when (host_of_endpoint(old.endpoint) <> host_of_endpoint(new.endpoint)
    or share_of_standing(old.standing) <> share_of_standing(new.standing))
  execute function follow_push_device();

-- Leases what is due to a worker: the longest due first, those of devices that failed twice last, and no more under way, over all workers
-- that live, than `of_person` of a person and `of_trader` of a trader, and of those whose devices did not take their last message than
-- `of_pair` of a trader and host and `of_unproven` of a trader. A message that nobody has in hand is free, and so is one whose worker is
-- dead, or has had it since before `stale_before`.
--
-- It is a function so that one worker leases at a time with what the others have leased before its eyes: in a statement by itself, what is
-- seen would be older than the lock; and a transaction of several statements would leave everybody waiting for a worker that hangs in it.
create function lease_pushes(worker int, stale_before timestamptz, moment timestamptz, most int, of_pair int, of_unproven int,
  of_person int, of_trader int)
returns table (trader_id uuid, event_no bigint, device_id uuid, tries int, created_at timestamptz)
language plpgsql
-- Its plan is made once a session, perhaps while the table is empty, when every way looks as good as the indexes of lanes and of leases.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  living int[];
  chosen record;
  total int := 0;
  before int;
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
    before := total;
    for chosen in
      with recursive held as materialized (
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
        select lanes.*, message.event_no, message.device_id, message.user_id, message.due_at,
          under_way.pair, under_way.unproven
        from lanes cross join lateral (
          select count(*) filter (where held.share > 0 and held.endpoint_host = lanes.endpoint_host) as pair,
            count(*) filter (where held.share > 0) as unproven, count(*) as every
          from held where held.trader_id = lanes.trader_id
        ) under_way cross join lateral (
          select message.event_no, message.device_id, message.user_id, message.due_at from push_deliveries message
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
      )
      select trader_id, event_no, device_id from ranked
      where (share = 0 or (nth_of_pair <= of_pair and nth_unproven <= of_unproven))
        and nth_of_person <= of_person and nth_of_trader <= of_trader
      order by share = 2, due_at, event_no, device_id limit most - total
    loop
      -- Past what somebody records at this moment: it would wait for them, with everybody behind it.
      return query update push_deliveries message set lease_owner = worker, leased_at = moment
        where message.ctid = (
          select ctid from push_deliveries free
          where free.trader_id = chosen.trader_id and free.event_no = chosen.event_no and free.device_id = chosen.device_id
            and free.ended_at is null and free.due_at <= moment
            and (free.lease_owner is null or free.leased_at < stale_before or free.lease_owner <> all(living))
          for update skip locked
        )
        returning message.trader_id, message.event_no, message.device_id, message.tries, message.created_at;
      if found then total := total + 1; end if;
    end loop;
    exit when total = before or total >= most;
  end loop;
end $$;
