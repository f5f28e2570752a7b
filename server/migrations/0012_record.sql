-- The record (ADR 0118, 0120): one append-only tree over everything that traders publish. Its entries never change; a person's words
-- leave it by the loss of the key that opens them.

-- The keys that sign checkpoints. One key makes both types of a note's signature; old ones stay, so that old receipts can be checked.
create table record_keys (
  -- Verifier key of the timed type, as c2sp.org/signed-note writes it.
  vkey text primary key,
  public_key bytea not null check (length(public_key) = 32),
  -- Null once it signs no more.
  private_sealed bytea,
  secret_key_id text,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  constraint record_keys_sealed_whole check ((private_sealed is null) = (secret_key_id is null))
);

-- The log has one head; a sequencer locks it, so entries have one order.
create table record_head (
  one boolean primary key default true check (one),
  -- Drawn with the log: names the file outside the database that holds the newest checkpoint.
  log_id uuid not null,
  -- Name of the log in checkpoints: host and path of its first start, whatever the address is later.
  origin text not null,
  size bigint not null default 0,
  -- Hashes of the complete subtrees that the tree is made of, the largest first, 32 bytes each.
  edge bytea not null default '',
  -- The newest instant of an entry, ms since 1970; entries may lie behind it by a minute.
  newest_at bigint not null default 0,
  -- Events from before the log began come first.
  imports_ended boolean not null default false,
  -- The newest checkpoint, as the log and its witnesses signed it.
  note text,
  signed_at timestamptz
);

-- A trader's leaves are chained under a random id. Erasing a person empties trader and key, which leaves their leaves without a meaning.
create table records (
  record_id bytea primary key check (length(record_id) = 16),
  trader_id uuid unique,
  salt_key bytea check (length(salt_key) = 32),
  seq int not null default 0,
  open_count int not null default 0 check (open_count >= 0),
  closed_count int not null default 0 check (closed_count >= 0),
  last_leaf bytea check (length(last_leaf) = 32),
  erased_at timestamptz,
  constraint records_erased_whole check ((trader_id is null) = (salt_key is null) and (trader_id is null) = (erased_at is not null))
);

create table record_entries (
  log_index bigint primary key,
  leaf bytea not null check (length(leaf) = 108),
  leaf_hash bytea not null check (length(leaf_hash) = 32)
);

-- Which entry an event became. No foreign key: events may be on other nodes (ADR 0069).
create table record_plan (
  trader_id uuid not null,
  event_no bigint not null,
  position_id uuid not null,
  -- As the entry's text names it.
  change text not null check (change in ('opened', 'closed', 'split', 'settled', 'corrected', 'struck', 'renamed')),
  seq int not null,
  log_index bigint not null unique,
  primary key (trader_id, event_no)
);
create index record_plan_of_position on record_plan (trader_id, position_id, seq);

-- The texts that leaves commit to, each as it was hashed. They go with their person.
create table record_texts (
  log_index bigint primary key,
  -- Null for entries of the log itself.
  record_id bytea,
  text text not null
);
create index record_texts_of_record on record_texts (record_id);

-- Full tiles (c2sp.org/tlog-tiles); others are cut from entries and roots. `root` is the hash of the whole tile.
create table record_tiles (
  level int not null,
  tile_index bigint not null,
  hashes bytea not null check (length(hashes) = 8192),
  root bytea not null check (length(root) = 32),
  primary key (level, tile_index)
);

-- Every root that was signed.
create table record_checkpoints (
  size bigint primary key,
  root bytea not null check (length(root) = 32),
  signed_at timestamptz not null
);

-- Entries that a restored backup has lost: people hold receipts for them (ADR 0120).
create table record_gaps (
  resumed_at_size bigint not null,
  lost_size bigint not null,
  -- The newest checkpoint that is known to have been signed.
  lost_note text not null,
  published_at timestamptz not null,
  primary key (resumed_at_size, lost_size)
);

-- A fence against accidents. Somebody with all rights passes it, and is found by what others hold.
create function refuse_change_of_record() returns trigger language plpgsql as $$
begin
  raise exception 'the record only grows' using errcode = 'restrict_violation';
end $$;
create trigger record_entries_only_grow before update or delete or truncate on record_entries
  for each statement execute function refuse_change_of_record();
create trigger record_tiles_only_grow before update or delete or truncate on record_tiles
  for each statement execute function refuse_change_of_record();
create trigger record_checkpoints_only_grow before update or delete or truncate on record_checkpoints
  for each statement execute function refuse_change_of_record();
create trigger record_gaps_only_grow before update or delete or truncate on record_gaps
  for each statement execute function refuse_change_of_record();
