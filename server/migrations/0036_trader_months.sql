-- What a trader's desk shows by month, in UTC (decision 0056). Triggers count, so that every writer does, those of the version
-- before included; statement by statement, so that ten thousand rows of one statement are one change of a count.

-- When the money came; until then an invoice is dated by itself.
alter table invoices add column paid_at timestamptz;

-- How many began to have access to a trader in a month, and how many lost it. A person who returns began twice.
create table trader_follower_months (
  trader_id uuid not null,
  -- Its first day.
  month date not null,
  gained int not null default 0 check (gained >= 0),
  lost int not null default 0 check (lost >= 0),
  primary key (trader_id, month),
  constraint trader_follower_months_trader foreign key (trader_id) references users on delete cascade
);

-- What of the payments of a month is the trader's: what was passed on less what was taken back and less the platform's fee. A refund
-- is taken off the month of its payment.
create table trader_income_months (
  trader_id uuid not null,
  month date not null,
  currency text not null,
  -- Of the currency's smallest unit. Negative where more was taken back than had come.
  cents bigint not null,
  primary key (trader_id, month, currency),
  constraint trader_income_months_trader foreign key (trader_id) references users on delete cascade
);

create function month_of(instant timestamptz) returns date language sql immutable
  return date_trunc('month', instant at time zone 'UTC')::date;

create function count_new_followers() returns trigger language plpgsql as $$
begin
  insert into trader_follower_months as counted (trader_id, month, gained)
  select trader_id, month_of(coalesce(synced_at, started_at)), count(*)
  from added where entitled_from_event is not null and entitled_until_event is null
  group by 1, 2 order by 1, 2
  on conflict (trader_id, month) do update set gained = counted.gained + excluded.gained;
  return null;
end $$;
create trigger count_new_followers after insert on subscriptions
  referencing new table as added for each statement execute function count_new_followers();

create function count_followers() returns trigger language plpgsql as $$
begin
  insert into trader_follower_months as counted (trader_id, month, gained, lost)
  select trader_id, month_of(at), count(*) filter (where gains), count(*) filter (where not gains)
  from (
    select later.trader_id, coalesce(later.synced_at, later.started_at) as at,
      later.entitled_from_event is not null and later.entitled_until_event is null as gains,
      earlier.entitled_from_event is not null and earlier.entitled_until_event is null as had
    from earlier join later on later.trader_id = earlier.trader_id and later.id = earlier.id
  ) change
  where gains <> had
  group by 1, 2 order by 1, 2
  on conflict (trader_id, month) do update
    set gained = counted.gained + excluded.gained, lost = counted.lost + excluded.lost;
  return null;
end $$;
create trigger count_followers after update on subscriptions
  referencing old table as earlier new table as later for each statement execute function count_followers();

create function add_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(coalesce(paid_at, created_at)), currency,
    sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents)
  from added group by 1, 2, 3
  having sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents) <> 0
  order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;
create trigger add_income after insert on invoices
  referencing new table as added for each statement execute function add_income();

create function change_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(at), currency, sum(cents)
  from (
    select trader_id, coalesce(paid_at, created_at) as at, currency,
      -(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents) as cents from earlier
    union all
    select trader_id, coalesce(paid_at, created_at), currency,
      transferred_cents - reversed_cents - fee_cents + fee_refunded_cents from later
  ) change
  group by 1, 2, 3 having sum(cents) <> 0 order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;
create trigger change_income after update on invoices
  referencing old table as earlier new table as later for each statement execute function change_income();

-- What there is already: the locks that the triggers took keep anybody from adding to it meanwhile. A window of access that was
-- followed by another is not dated, so of somebody who lost access and has it again, in one subscription, the first start counts.
insert into trader_follower_months (trader_id, month, gained, lost)
select trader_id, month_of(at), count(*) filter (where gains), count(*) filter (where not gains)
from (
  select trader_id, started_at as at, true as gains from subscriptions where entitled_from_event is not null
  union all
  select trader_id, coalesce(ended_at, synced_at, started_at), false from subscriptions where entitled_until_event is not null
) change
group by 1, 2;

insert into trader_income_months (trader_id, month, currency, cents)
select trader_id, month_of(created_at), currency,
  sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents)
from invoices group by 1, 2, 3
having sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents) <> 0;
