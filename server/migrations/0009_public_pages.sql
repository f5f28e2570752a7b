-- A trader may have a public page (rule G-109): since when it is on, null while it is off. There is none without a name, which is its
-- address.
alter table accounts
  add column public_page_since timestamptz,
  add constraint accounts_public_page_has_a_name check (public_page_since is null or username is not null);
