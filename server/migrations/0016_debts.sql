-- What the product has decided about money and has still to do at Stripe, each a row of its own with its tries: access is
-- written with the decision, whatever Stripe answers afterwards (decision record 0026).
create table debts (
  trader_id uuid not null,
  id uuid not null,
  subscriber_id uuid not null,
  -- `end` a subscription, `void` what it still asks for, pay a `refund`, take a `reversal` from the trader, pay a `transfer`
  -- to them again, and stop or resume the `collection`.
  kind text not null check (kind in ('end', 'void', 'refund', 'reversal', 'transfer', 'collection')),
  -- Stripe's id of the subscription, and of what is to be dealt with: that subscription, an invoice, a dispute.
  stripe_subscription_id text not null,
  subject text not null,
  -- The invoice whose money moves.
  invoice_id text,
  -- Why: the reason of an ending, or the kind of what gave cause. Part of the idempotency keys.
  cause text not null,
  -- Cents that are owed or, once settled, that were moved; null while it depends on Stripe, and where no money moves.
  amount_cents int check (amount_cents >= 0),
  currency text not null,
  state text not null check (state in ('open', 'settled', 'dropped')),
  tries int not null default 0,
  -- Stripe's code for the last refusal, and since when it has been one that does not heal by itself.
  error text,
  refused_at timestamptz,
  -- When the operator was mailed about it.
  alerted_at timestamptz,
  -- When it is tried next; null once it is settled or dropped.
  due_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  -- Why an operator dropped it.
  remark text,
  primary key (trader_id, id),
  -- Owed once, however often the cause is looked at.
  unique (trader_id, kind, subject, cause),
  constraint debts_trader foreign key (trader_id) references users on delete cascade,
  check ((state = 'open') = (due_at is not null)),
  check ((state = 'open') = (settled_at is null)),
  check ((state = 'dropped') = (remark is not null))
);
create index debts_waiting on debts (due_at) where due_at is not null;
create index debts_of_subscription on debts (trader_id, stripe_subscription_id);

-- A dispute names a payment, and nothing else of ours.
create index invoices_of_payment on invoices (payment_intent_id) where payment_intent_id is not null;

-- Since when Stripe has refused what an event asks for, in a way that does not heal by itself; the operator was mailed then.
alter table stripe_events add column refused_at timestamptz;
