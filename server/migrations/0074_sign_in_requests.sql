-- A request for a sign-in mail in one statement (decision 0104). Every request locks the one row that counts the mails of all, and commits
-- that notify wait for one another, so between the first lock and the commit there is the database's own work alone. Each statement
-- sees what the one before has waited for, as in a transaction of several. The commit does not wait for the disk: who asks waits for
-- that afterwards (decision 0049).
--
-- Answers whether mails to the address come back, and how many mails of the window have a place now; nothing where the address may not
-- be mailed yet. Raises TP001 where no place is left, and then nothing of it has happened.
create function request_code(
  moment timestamptz,
  address text,
  -- Devices that have signed in to the address before are counted apart from everybody else.
  from_known_device boolean,
  -- Between two mails, and how many in an hour; null where neither counts.
  spacing_ms float8,
  an_hour int,
  returned_since timestamptz,
  challenge_id uuid,
  asked_purpose text,
  makes_user boolean,
  pkce_challenge text,
  code_until timestamptz,
  link_until timestamptz,
  from_ip inet,
  entry_id uuid,
  entry_action text,
  address_hmac text,
  agent text,
  mail_id uuid,
  mail_kind text,
  mail_lane text,
  mail_facts jsonb,
  mail_until timestamptz,
  window_key text,
  window_from timestamptz,
  window_until timestamptz,
  -- Null for any number.
  window_places int,
  out returned boolean,
  out placed int
) language plpgsql as $$
declare
  hour_ago constant timestamptz := moment - interval '1 hour';
  closed_since constant timestamptz := moment - spacing_ms * interval '1 millisecond';
begin
  perform set_config('synchronous_commit', 'off', true);

  insert into sign_in_addresses as known (email, sent_at, known_sent_at, updated_at)
  values (address, case when from_known_device then '{}' else array[moment] end,
    case when from_known_device then array[moment] else '{}' end, moment)
  on conflict (email) do update
  set sent_at = case when from_known_device then known.sent_at
      else array(select t from unnest(known.sent_at) t where t > hour_ago) || moment end,
    known_sent_at = case when not from_known_device then known.known_sent_at
      else array(select t from unnest(known.known_sent_at) t where t > hour_ago) || moment end,
    updated_at = moment
  where spacing_ms is null or (
    select count(*) filter (where t > hour_ago) < an_hour and count(*) filter (where t > closed_since) = 0
    from unnest(case when from_known_device then known.known_sent_at else known.sent_at end) t)
  returning coalesce(known.returned_at > returned_since, false) into returned;
  if not found then
    return;
  end if;

  update otp_challenges set consumed_at = moment
  where email = address and purpose = asked_purpose and consumed_at is null;
  insert into otp_challenges (id, email, purpose, create_user, code_challenge, code_expires_at, link_expires_at, ip, created_at)
  values (challenge_id, address, asked_purpose, makes_user, pkce_challenge, code_until, link_until, from_ip, moment);
  insert into audit_log (id, at, action, email_hmac, detail, ip, user_agent)
  values (entry_id, moment, entry_action, address_hmac, asked_purpose, from_ip, agent);
  insert into outbox (id, kind, lane, facts, created_at, due_at, expires_at, place_in)
  values (mail_id, mail_kind, mail_lane, mail_facts, moment, moment, mail_until, window_from);
  perform pg_notify('outbox', mail_lane);

  -- Last, since every request locks this one row.
  insert into rate_limits as places (key, window_start, count, expires_at) values (window_key, window_from, 1, window_until)
  on conflict (key, window_start) do update set count = places.count + 1
  returning count into placed;
  if placed > window_places then
    raise exception 'no place is left' using errcode = 'TP001';
  end if;
end $$;
