-- Tax by Stripe (rule G-131, ADR 0135).

alter table invoices
  -- The tax within what was paid, and the party that owes it to the authorities; null where none was computed.
  add column tax_cents int not null default 0 check (tax_cents >= 0),
  add column tax_liable text check (tax_liable in ('platform', 'trader')),
  -- Of what is at the trader's account, how much is tax: theirs to pay on, or still to be withheld. Negative where a part of the fee is still
  -- to come back to them.
  add column tax_held_cents int not null default 0;

create index invoices_taxed on invoices (trader_id) where tax_cents > 0;

-- The party that owes the tax of the purchase, as Stripe's page of it was opened; null where none is computed.
alter table checkout_sessions add column tax_liable text check (tax_liable in ('platform', 'trader'));

-- Whether the account's tax settings at Stripe are complete; null while nobody has asked.
alter table payout_accounts add column tax_ready boolean;

alter table debts drop constraint debts_kind_check,
  -- `tax`: the trader's account is to hold no more of a taxed payment than its trader's share.
  add constraint debts_kind_check check (
    kind in ('end', 'void', 'refund', 'reversal', 'transfer', 'collection', 'price', 'empty_month', 'tax'));

-- Income is what is left to the trader after tax.
create or replace function add_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(coalesce(paid_at, created_at)), currency,
    sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents - tax_held_cents)
  from added group by 1, 2, 3
  having sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents - tax_held_cents) <> 0
  order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;

create or replace function change_income() returns trigger language plpgsql as $$
begin
  insert into trader_income_months as counted (trader_id, month, currency, cents)
  select trader_id, month_of(at), currency, sum(cents)
  from (
    select trader_id, coalesce(paid_at, created_at) as at, currency,
      -(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents - tax_held_cents) as cents from earlier
    union all
    select trader_id, coalesce(paid_at, created_at), currency,
      transferred_cents - reversed_cents - fee_cents + fee_refunded_cents - tax_held_cents from later
  ) change
  group by 1, 2, 3 having sum(cents) <> 0 order by 1, 2, 3
  on conflict (trader_id, month, currency) do update set cents = counted.cents + excluded.cents;
  return null;
end $$;
