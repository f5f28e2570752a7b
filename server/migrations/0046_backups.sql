-- Backups that were taken of this database (decision 0067). A backup holds its own row, so a database that was restored from it knows
-- the moment that it is of.
create table backups (
  -- Before the backup's snapshot: everything that was committed by then is in it.
  taken_at timestamptz primary key,
  -- Set in the database that was restored from it. From then until it is settled no process of the product starts there.
  restored_at timestamptz,
  settled_at timestamptz,
  check (settled_at is null or restored_at is not null)
);
