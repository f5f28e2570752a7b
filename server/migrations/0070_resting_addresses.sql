-- A bounce says once that an address does not exist: no mail goes there until then, and the next one is tried (decision 0089). Null: until
-- the suppression is lifted.
alter table suppressions add column ends_at timestamptz;
create index suppressions_ending on suppressions (ends_at) where ends_at is not null;
