-- Notifications pushed to devices: the second channel of what is published (decision 0063).

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
  -- What messages are encrypted for (RFC 8291).
  p256dh bytea not null check (octet_length(p256dh) = 65),
  auth_secret bytea not null check (octet_length(auth_secret) = 16),
  -- SHA-256 of what turns this device off without a sign-in, and the name of the AUTH_SECRET that it is derived from.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  token_secret_key_id text not null,
  user_agent text,
  created_at timestamptz not null,
  -- Since when nothing has arrived there; null while messages are taken.
  failing_since timestamptz
);
create index push_devices_of_user on push_devices (user_id);

-- A message to a device about an event. It stays when it has ended, so that an event that is planned again finds it.
create table push_deliveries (
  trader_id uuid not null,
  event_no bigint not null,
  device_id uuid not null references push_devices on delete cascade,
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
create index push_deliveries_due on push_deliveries (due_at) where ended_at is null;
create index push_deliveries_ended on push_deliveries (ended_at) where ended_at is not null;
create index push_deliveries_of_device on push_deliveries (device_id);

-- Apart from mail_muted_at: each channel has a switch of its own.
alter table subscriptions add column push_muted_at timestamptz;

-- By triggers, so that every writer does it, those of the version before too.
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
