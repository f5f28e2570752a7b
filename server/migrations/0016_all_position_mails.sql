-- One switch for the mails about positions of all traders (rule G-120, ADR 0124).

alter table users
  -- Since when the person has none of these mails, of traders whom they follow later either; null while each trader's switch counts.
  add column position_mails_off_at timestamptz;

alter table subscriptions
  -- The trader's last event when mails were switched on again for all traders: events up to it are not mailed any more, also where their
  -- mails waited for the mail server meanwhile.
  add column unmailed_until_event bigint;

create function note_mails_on() returns trigger language plpgsql as $$
begin
  update subscriptions
  set unmailed_until_event = head.last_event_no, mails_unknown_until_event = head.last_event_no
  from traders head
  where subscriber_id = new.id and head.trader_id = subscriptions.trader_id;
  return null;
end $$;
create trigger note_mails_on after update of position_mails_off_at on users
  for each row when (old.position_mails_off_at is not null and new.position_mails_off_at is null)
  execute function note_mails_on();

-- A sender has read the recipients of a range before it mails them: it is told of each who stops mails meanwhile. The channel is that of
-- new ranges; a text names a person.
create function notify_senders() returns trigger language plpgsql as $$
begin
  perform pg_notify('deliveries', to_jsonb(new) ->> tg_argv[0]);
  return null;
end $$;
create trigger notify_senders_of_person after update of position_mails_off_at on users
  for each row when (old.position_mails_off_at is null and new.position_mails_off_at is not null)
  execute function notify_senders('id');
-- Of somebody who is suspended or closes the account too.
create trigger notify_senders_of_inactive after update of suspended_at, closed_at on users
  for each row when (old.inactive_since is null and new.inactive_since is not null)
  execute function notify_senders('id');
create trigger notify_senders_of_subscription after update of mail_muted_at on subscriptions
  for each row when (old.mail_muted_at is null and new.mail_muted_at is not null)
  execute function notify_senders('subscriber_id');

create trigger notify_of_position_mails after update of position_mails_off_at on users
  for each row when ((old.position_mails_off_at is null) <> (new.position_mails_off_at is null))
  execute function notify_person('subscriptions', 'id');
