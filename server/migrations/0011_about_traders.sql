-- Traders may say something about themselves, and show how many follow them (rule G-111); both stand on the profile of a name. Null is
-- nothing said. The contract counts UTF-16 units, of which a text has at least as many as characters.
alter table accounts
  add column about text,
  add column followers_shown boolean not null default false,
  add constraint accounts_about_has_a_name check (about is null or username is not null and char_length(about) between 1 and 160);
