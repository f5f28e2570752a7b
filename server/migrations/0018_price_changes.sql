-- A change of price for those who follow already (rule G-122, ADR 0126).

alter table own_prices
  -- Since when each amount is the present one without a break: a follower agrees to the amount of one such time.
  add column monthly_since timestamptz,
  add column yearly_since timestamptz,
  -- The change up to which followers have been mailed, and when they are mailed of later ones; null where nothing waits.
  add column notified_until timestamptz,
  add column notify_at timestamptz,
  add column lease_owner int,
  add column leased_at timestamptz;
update own_prices set monthly_since = changed_at, notify_at = changed_at,
  yearly_since = case when yearly_cents is not null then changed_at end;
alter table own_prices
  alter column monthly_since set not null,
  add constraint own_prices_yearly_since check ((yearly_cents is null) = (yearly_since is null));
create index own_prices_waiting on own_prices (notify_at) where notify_at is not null;

-- `price_cents` is what Stripe asks for at the next renewal.
alter table subscriptions
  -- The most that renews without an agreement, and since when that is noted; null while it is `price_cents`. It stays when an agreement is
  -- taken back, since Stripe may have the higher price by then.
  add column kept_cents int,
  add column kept_since timestamptz,
  -- The follower's agreement: its amount, when, the time from which it was the trader's price (`own_prices`), and the first renewal
  -- that may have it. It stays once it is charged; `kept_cents` is null then.
  add column agreed_cents int,
  add column agreed_at timestamptz,
  add column proposed_at timestamptz,
  add column agreed_from timestamptz,
  -- The renewal that has it, once Stripe knows.
  add column charged_from timestamptz,
  -- The price that the follower knew before the trader lowered it; null once they are mailed of it.
  add column known_cents int,
  add constraint subscriptions_kept check (kept_cents > 0 and (kept_cents is null) = (kept_since is null)),
  add constraint subscriptions_agreed check (
    (agreed_cents is null) = (agreed_at is null) and (agreed_cents is null) = (proposed_at is null)
    and (agreed_cents is null) = (agreed_from is null) and (agreed_cents is null or kept_cents < agreed_cents)
    and (agreed_cents is not null or charged_from is null));
create index subscriptions_agreed on subscriptions (agreed_from) where agreed_cents is not null and kept_cents is not null;

alter table debts drop constraint debts_kind_check,
  -- `price`: the price that a subscription renews at becomes another one.
  add constraint debts_kind_check check (kind in ('end', 'void', 'refund', 'reversal', 'transfer', 'collection', 'price'));

drop trigger notify_of_subscription on subscriptions;
create trigger notify_of_subscription after update on subscriptions
  for each row when (
    (old.status, old.entitled_from_event, old.entitled_until_event, old.current_period_end, old.cancel_at, old.paused_since,
      old.mail_muted_at, old.price_cents, old.kept_cents, old.agreed_cents)
    is distinct from
    (new.status, new.entitled_from_event, new.entitled_until_event, new.current_period_end, new.cancel_at, new.paused_since,
      new.mail_muted_at, new.price_cents, new.kept_cents, new.agreed_cents)
  ) execute function notify_person('subscriptions', 'subscriber_id');
