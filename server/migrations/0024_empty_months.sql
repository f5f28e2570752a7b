-- Paid months in which nothing reached the follower go back (rule G-127, ADR 0131).

-- Since when the operator returns them, for months that begin later; null while it is off.
create table empty_month_returns (
  only_row boolean primary key default true check (only_row),
  since timestamptz
);
insert into empty_month_returns (since) values (null);

alter table invoices
  -- How many months of what was paid are judged, and of how many its trader was told that they may come back.
  add column months_judged int not null default 0 check (months_judged between 0 and 12),
  add column months_warned int not null default 0 check (months_warned between 0 and 12),
  -- When the next month is judged, once that is known; null also when all are.
  add column judge_at timestamptz;
create index invoices_to_judge on invoices (judge_at) where judge_at is not null;
-- Paid, and not dated yet: also those that a worker of the release before writes.
create index invoices_to_date on invoices (created_at)
  where judge_at is null and months_judged = 0 and status = 'paid' and amount_paid_cents > 0;

alter table debts drop constraint debts_kind_check,
  -- `empty_month`: a month of a payment goes back.
  add constraint debts_kind_check check (
    kind in ('end', 'void', 'refund', 'reversal', 'transfer', 'collection', 'price', 'empty_month')),
  -- Of an empty month that went back: when its trader was told.
  add column told_at timestamptz;
create index debts_empty_months on debts (settled_at) where kind = 'empty_month' and state = 'settled' and amount_cents > 0;
