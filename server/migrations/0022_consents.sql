-- Consent that people gave before they paid (rule G-125, ADR 0129).

-- The version of the terms that the checkout's page names; null once there are others, and for one of an earlier release.
alter table checkout_sessions add column terms_version text check (terms_version <> '');

-- Since when Stripe opens no checkout, because its account has no address of the terms; null while it does.
alter table stripe_platform add column terms_refused_at timestamptz;

-- One row for each checkout that was paid, as Stripe's page had it. Of a subscription, and kept as long as that is.
create table consents (
  id uuid primary key,
  user_id uuid not null references users,
  trader_id uuid not null,
  subscription_id uuid not null,
  terms_version text not null check (terms_version <> ''),
  -- Word for word, with the links as Stripe takes them.
  sentence text not null check (char_length(sentence) between 1 and 1200),
  -- When the checkout was completed, by Stripe's clock.
  accepted_at timestamptz not null,
  stripe_session_id text not null unique,
  foreign key (trader_id, subscription_id) references subscriptions on delete cascade
);
create index consents_of_a_pair on consents (trader_id, user_id);
create index consents_of_a_person on consents (user_id);

-- A consent changes no more, and goes only with the payments of somebody who is erased.
create function keep_consents() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from users where id in (old.user_id, old.trader_id) and erased_at is not null) then
    return old;
  end if;
  raise exception 'a consent stays as it was given' using errcode = 'restrict_violation';
end $$;
create trigger consents_stay before update or delete on consents
  for each row execute function keep_consents();
create trigger consents_stay_all before truncate on consents
  for each statement execute function keep_consents();
