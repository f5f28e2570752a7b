-- What we know of people at the payment provider.
create table payout_accounts (
  user_id uuid primary key references users on delete cascade,
  stripe_account_id text unique,
  -- Complete while the account's stripe_transfers capability is active (decision G-29).
  transfers_status text not null default 'pending',
  reason text,
  complete_at timestamptz,
  closed_at timestamptz,
  terms_version text,
  terms_accepted_at timestamptz,
  synced_at timestamptz,
  created_at timestamptz not null
);

create table customers (
  user_id uuid primary key references users on delete cascade,
  stripe_customer_id text unique,
  state text not null check (state in ('pending', 'ready')),
  created_at timestamptz not null,
  check ((state = 'ready') = (stripe_customer_id is not null))
);
