-- Discounts of running subscriptions (rule G-124, ADR 0128).

alter table subscriptions
  -- The cost of the next renewal with discounts; null while nothing is taken off it.
  add column renewal_cents int,
  -- The first renewal behind it that costs something else; null for none.
  add column renewal_cents_until timestamptz,
  -- Stripe's id of the code that it began with; null for a discount without a code.
  add column stripe_promotion_code_id text,
  add constraint subscriptions_renewal check (renewal_cents >= 0
    and (renewal_cents is not null or (renewal_cents_until is null and stripe_promotion_code_id is null)));

drop trigger notify_of_subscription on subscriptions;
create trigger notify_of_subscription after update on subscriptions
  for each row when (
    (old.status, old.entitled_from_event, old.entitled_until_event, old.current_period_end, old.cancel_at, old.paused_since,
      old.mail_muted_at, old.price_cents, old.kept_cents, old.agreed_cents, old.renewal_cents, old.renewal_cents_until)
    is distinct from
    (new.status, new.entitled_from_event, new.entitled_until_event, new.current_period_end, new.cancel_at, new.paused_since,
      new.mail_muted_at, new.price_cents, new.kept_cents, new.agreed_cents, new.renewal_cents, new.renewal_cents_until)
  ) execute function notify_person('subscriptions', 'subscriber_id');

-- The desk counts a trader's trials.
create index trials_of_trader on trials (trader_id) where granted;

-- The secret under which address and card are hashed; null in rows from before, which every secret is tried on.
alter table trials add column secret_key_id text;
