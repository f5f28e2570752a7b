-- What a request for a mail brings as `data` is ignored from now on: whoever asked need not be whose address it is.
alter table otp_challenges drop column user_metadata;
alter table auth_codes drop column user_metadata;

-- Accounts of which more than 2,048 bytes are kept, which strangers could see to, are mended: the smallest entries stay,
-- as many as fit, and the rest is forgotten. Bytes as the database writes an object, with a space after every colon and
-- comma, so an entry more may go than the server's own count asks for.
with entries as (
  select u.id, e.key, e.value,
    2 + sum(octet_length(to_json(e.key)::text) + octet_length(e.value::text) + 4)
      over (partition by u.id order by e.key <> 'email_verified', octet_length(e.value::text), e.key) as bytes
  from users u cross join lateral jsonb_each(u.user_metadata) e
  where octet_length(u.user_metadata::text) > 2048
),
kept as (
  select id, coalesce(jsonb_object_agg(key, value) filter (where bytes <= 2048), '{}') as user_metadata
  from entries group by id
)
update users set user_metadata = kept.user_metadata from kept where kept.id = users.id;

-- An identity says what was proved, and nothing that somebody said of themselves.
update identities
set identity_data = (
  select coalesce(jsonb_object_agg(e.key, e.value), '{}')
  from jsonb_each(identity_data) e where e.key in ('sub', 'email', 'email_verified', 'phone_verified'))
where identity_data - '{sub,email,email_verified,phone_verified}'::text[] <> '{}';
