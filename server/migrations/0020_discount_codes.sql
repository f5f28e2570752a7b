-- Codes of traders that take something off the price of a month (rule G-124, ADR 0128).

create table discount_codes (
  trader_id uuid not null,
  id uuid not null,
  -- As it is kept: capital letters and digits.
  code text not null check (code ~ '^[A-Z0-9]{3,20}$'),
  percent_off int check (percent_off between 1 and 90),
  amount_off_cents int check (amount_off_cents > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  -- Null for always.
  months int check (months in (1, 3)),
  max_uses int check (max_uses between 1 and 10000),
  last_day date,
  -- Made at Stripe when it is used first.
  stripe_promotion_code_id text,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (trader_id, id),
  constraint discount_codes_trader foreign key (trader_id) references users on delete cascade,
  check ((percent_off is null) <> (amount_off_cents is null))
);
create unique index discount_codes_of_one_name on discount_codes (trader_id, code) where ended_at is null;

alter table checkout_sessions
  add column discount_code_id uuid,
  add column stripe_promotion_code_id text,
  add check ((discount_code_id is null) = (stripe_promotion_code_id is null));
create index checkout_sessions_with_a_code on checkout_sessions (trader_id, discount_code_id)
  where discount_code_id is not null;
