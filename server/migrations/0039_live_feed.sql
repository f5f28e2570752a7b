-- Who has live feeds open is notified when something of theirs changes: `people` names a topic and a person. By triggers, so that
-- every writer does it, those of the version before too; in the transaction, since these are rare beside the events of positions
-- (decision 0061).
create function notify_person() returns trigger language plpgsql as $$
begin
  perform pg_notify('people', tg_argv[0] || ':' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;

-- What ends a session, or asks more of it than it had.
create trigger notify_of_ended_session after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function notify_person('session', 'user_id');
create trigger notify_of_deleted_session after delete on sessions
  for each row when (old.revoked_at is null) execute function notify_person('session', 'user_id');
create trigger notify_of_suspension after update of suspended_at on users
  for each row when (old.suspended_at is null and new.suspended_at is not null) execute function notify_person('session', 'id');
create trigger notify_of_factor after update of status on mfa_factors
  for each row when (new.status = 'verified' and old.status <> 'verified') execute function notify_person('session', 'user_id');

create trigger notify_of_new_subscription after insert or delete on subscriptions
  for each row execute function notify_person('subscriptions', 'subscriber_id');
create trigger notify_of_subscription after update on subscriptions
  for each row when (
    (old.status, old.entitled_from_event, old.entitled_until_event, old.current_period_end, old.cancel_at, old.paused_since,
      old.mail_muted_at, old.price_cents)
    is distinct from
    (new.status, new.entitled_from_event, new.entitled_until_event, new.current_period_end, new.cancel_at, new.paused_since,
      new.mail_muted_at, new.price_cents)
  ) execute function notify_person('subscriptions', 'subscriber_id');

create trigger notify_of_payouts after insert or update of transfers_status, reason, complete_at, closed_at on payout_accounts
  for each row execute function notify_person('payouts', 'user_id');
