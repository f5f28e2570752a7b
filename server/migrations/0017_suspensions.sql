-- Why and when an operator suspended somebody, and let them back; users.suspended_at says how it stands.
create table suspensions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  reason text not null,
  suspended_at timestamptz not null,
  restored_at timestamptz,
  restored_because text,
  check ((restored_at is null) = (restored_because is null))
);
create unique index suspensions_one_at_a_time on suspensions (user_id) where restored_at is null;
-- Those from before this table have no reason here.
create index users_suspended on users (id) where suspended_at is not null;

alter table subscriptions drop constraint subscriptions_end_reason_check;
alter table subscriptions add constraint subscriptions_end_reason_check
  check (end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid'));

alter table money_mails drop constraint money_mails_kind_check;
alter table money_mails add constraint money_mails_kind_check
  check (kind in (
    'payment_problem', 'subscription_ended', 'double_payment_returned', 'trader_unavailable', 'payouts_lost',
    'payment_disputed', 'collection_paused', 'collection_resumed', 'payouts_paused',
    'account_suspended', 'account_restored'
  ));

-- Who has owed a payment for long.
create index subscriptions_overdue on subscriptions (past_due_since) where status = 'past_due';
