-- A trader's own prices, of a month and of a year (rule G-28, ADR 0125).

-- No row: a month costs what the configuration says, and nobody pays by the year.
create table own_prices (
  trader_id uuid primary key,
  monthly_cents int not null check (monthly_cents > 0),
  yearly_cents int check (yearly_cents > 0),
  -- The configured one of that day. Once it is another, the row counts no more.
  currency text not null check (currency ~ '^[a-z]{3}$'),
  changed_at timestamptz not null,
  constraint own_prices_trader foreign key (trader_id) references users on delete cascade
);

alter table trader_prices add column billing_interval text not null default 'month'
  check (billing_interval in ('month', 'year'));
drop index trader_prices_one_current;
create unique index trader_prices_one_current on trader_prices (trader_id, billing_interval) where retired_at is null;

alter table checkout_sessions add column billing_interval text not null default 'month'
  check (billing_interval in ('month', 'year'));
alter table subscriptions add column billing_interval text not null default 'month'
  check (billing_interval in ('month', 'year'));
