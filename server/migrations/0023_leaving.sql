-- To cancel, and to withdraw within fourteen days of the first payment (rule G-126, ADR 0130).

-- `withdrawn`: within the fourteen days. `left`: canceled while no time was paid.
alter table subscriptions drop constraint subscriptions_end_reason_check,
  add constraint subscriptions_end_reason_check check (
    end_reason in ('double', 'dispute', 'trader_unavailable', 'to_oneself', 'unpaid', 'account_closed', 'trial_used',
      'withdrawn', 'left'));

-- A link that was mailed to a subscriber who asked from a mail's footer: it does one thing once, for an hour.
create table leave_requests (
  id uuid primary key,
  trader_id uuid not null,
  subscription_id uuid not null,
  subscriber_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index leave_requests_subscription on leave_requests (subscription_id, created_at);
create index leave_requests_subscriber on leave_requests (subscriber_id, created_at);
create index leave_requests_expiry on leave_requests (expires_at);
