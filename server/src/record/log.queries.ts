import { sql } from 'kysely'
import type { EventKey } from '../events/events.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/** The head of the log. */
export type HeadRow = {
  logId: string
  origin: string
  size: number
  /** Hashes of complete subtrees, 32 bytes each, the largest first. */
  edge: Buffer
  /** Milliseconds since 1970, 0 without an entry. */
  newestAt: number
  importsEnded: boolean
  /** The newest checkpoint, signed; null before the first. */
  note: string | null
  signedAt: Date | null
}

/** A head that is locked, and the verifier key that signs now. */
export type LockedHead = HeadRow & { signsWith: string }

const HEAD = [
  'log_id as logId',
  'origin',
  'size',
  'edge',
  'newest_at as newestAt',
  'imports_ended as importsEnded',
  'note',
  'signed_at as signedAt',
] as const

/** @returns null before the log has begun */
export async function findHead(db: Queryable): Promise<HeadRow | null> {
  const row = await db.selectFrom('record_head').select(HEAD).executeTakeFirst()
  return row ?? null
}

/** The newest key that signs at an instant; the first one before it, since clocks of processes disagree. */
const signsWith = (now: Date) => sql<string>`(
  select vkey from record_keys
  order by signs_from <= ${now} desc, case when signs_from <= ${now} then signs_from end desc, signs_from
  limit 1)`

/** Puts those who write the log in line. */
export async function lockHead(tx: Queryable, now: Date): Promise<LockedHead | null> {
  const row = await tx
    .selectFrom('record_head')
    .select(HEAD)
    .select(signsWith(now).as('signsWith'))
    .forUpdate('record_head')
    .executeTakeFirst()
  return row ?? null
}

/** @returns false where another process began it */
export async function insertHead(tx: Queryable, head: { logId: string; origin: string }): Promise<boolean> {
  const row = await tx
    .insertInto('record_head')
    .values({ log_id: head.logId, origin: head.origin })
    .onConflict((conflict) => conflict.doNothing())
    .returning('one')
    .executeTakeFirst()
  return row !== undefined
}

export type RecordRow = {
  recordId: Buffer
  traderId: string
  saltKey: Buffer
  seq: number
  openCount: number
  closedCount: number
  lastLeaf: Buffer | null
}

/** @returns null for somebody who has none, or whose record is erased */
export async function findRecord(db: Queryable, traderId: string): Promise<RecordRow | null> {
  const { rows } = await sql<RecordRow>`
    select record_id as "recordId", trader_id as "traderId", salt_key as "saltKey", seq, open_count as "openCount",
      closed_count as "closedCount", last_leaf as "lastLeaf"
    from records where trader_id = ${traderId}`.execute(db)
  return rows[0] ?? null
}

type EntryRow = {
  leaf: Uint8Array
  leafHash: Uint8Array
  text: string
  /** Null for an entry of the log itself. */
  record: Uint8Array | null
}

export type PlanRow = {
  traderId: string
  eventNo: number
  positionId: string
  change: string
  seq: number
  logIndex: number
}

export type Appended = {
  first: number
  entries: readonly EntryRow[]
  tiles: readonly { level: number; index: number; hashes: Uint8Array; root: Uint8Array }[]
  records: readonly RecordRow[]
  plan: readonly PlanRow[]
  done: readonly EventKey[]
  head: {
    size: number
    edge: Uint8Array
    root: Uint8Array
    newestAt: number
    importsEnded: boolean
    note: string
    signedAt: Date
  }
}

/** A part of a statement. Work that is locked at this moment stays: its worker finds the event dealt with, and deletes it. */
function deletionOf(done: readonly EventKey[]) {
  return sql`delete from event_work where ctid = any (array(
    select work.ctid from unnest(${done.map(({ traderId }) => traderId)}::uuid[],
        ${done.map(({ eventNo }) => eventNo)}::bigint[]) dealt_with (trader_id, event_no)
      join event_work work on work.trader_id = dealt_with.trader_id and work.event_no = dealt_with.event_no
    where work.reader = 'record'
    for update of work skip locked))`
}

/** Deletes the work of events that are not for the log. @param tx holds the lock of the head */
export async function deleteWork(tx: Queryable, done: readonly EventKey[]): Promise<void> {
  await deletionOf(done).execute(tx)
}

/**
 * Writes all that a batch adds to the log, in one statement, and deletes the work of events that are done, for whose mails senders are notified.
 * @param tx holds the lock of the head
 */
export async function insertBatch(
  tx: Queryable,
  { done, entries, first, head, plan, records, tiles }: Appended,
) {
  const bytes = (of: Uint8Array | null) => of && Buffer.from(of)
  const indexes = entries.map((_, nth) => first + nth)
  await sql`
    with entries as (
      insert into record_entries (log_index, leaf, leaf_hash)
      select * from unnest(${indexes}::bigint[], ${entries.map(({ leaf }) => bytes(leaf))}::bytea[],
        ${entries.map(({ leafHash }) => bytes(leafHash))}::bytea[])
    ), texts as (
      insert into record_texts (log_index, record_id, text)
      select * from unnest(${indexes}::bigint[], ${entries.map(({ record }) => bytes(record))}::bytea[],
        ${entries.map(({ text }) => text)}::text[])
    ), tiles as (
      insert into record_tiles (level, tile_index, hashes, root)
      select * from unnest(${tiles.map(({ level }) => level)}::int[], ${tiles.map(({ index }) => index)}::bigint[],
        ${tiles.map(({ hashes }) => bytes(hashes))}::bytea[], ${tiles.map(({ root }) => bytes(root))}::bytea[])
    ), plan as (
      insert into record_plan (trader_id, event_no, position_id, change, seq, log_index)
      select * from unnest(${plan.map(({ traderId }) => traderId)}::uuid[], ${plan.map(({ eventNo }) => eventNo)}::bigint[],
        ${plan.map(({ positionId }) => positionId)}::uuid[], ${plan.map(({ change }) => change)}::text[],
        ${plan.map(({ seq }) => seq)}::int[], ${plan.map(({ logIndex }) => logIndex)}::bigint[])
    ), heads as (
      insert into records (record_id, trader_id, salt_key, seq, open_count, closed_count, last_leaf)
      select * from unnest(${records.map(({ recordId }) => recordId)}::bytea[],
        ${records.map(({ traderId }) => traderId)}::uuid[], ${records.map(({ saltKey }) => saltKey)}::bytea[],
        ${records.map(({ seq }) => seq)}::int[], ${records.map(({ openCount }) => openCount)}::int[],
        ${records.map(({ closedCount }) => closedCount)}::int[], ${records.map(({ lastLeaf }) => lastLeaf)}::bytea[])
      on conflict (record_id) do update set seq = excluded.seq, open_count = excluded.open_count,
        closed_count = excluded.closed_count, last_leaf = excluded.last_leaf
    ), checkpoint as (
      insert into record_checkpoints (size, root, signed_at)
      values (${head.size}, ${bytes(head.root)}, ${head.signedAt})
    ), done as (
      ${deletionOf(done)}
      returning 1
    ), head as (
      update record_head set size = ${head.size}, edge = ${bytes(head.edge)}, newest_at = ${head.newestAt},
      imports_ended = ${head.importsEnded}, note = ${head.note}, signed_at = ${head.signedAt}
    )
    select pg_notify('deliveries', '') where exists (select from done)`.execute(tx)
}

/** Stores newer signatures of the newest checkpoint. Without effect once there is another one, or others have stored theirs. */
export async function updateNote(
  db: Queryable,
  { before, note, signedAt, size }: { size: number; before: string; note: string; signedAt: Date },
): Promise<void> {
  await db
    .updateTable('record_head')
    .set({ note, signed_at: signedAt })
    .where('size', '=', size)
    .where('note', '=', before)
    .execute()
}

export async function findRoot(db: Queryable, size: number): Promise<Buffer | null> {
  const row = await db
    .selectFrom('record_checkpoints')
    .select('root')
    .where('size', '=', size)
    .executeTakeFirst()
  return row?.root ?? null
}

/** When the log first signed a tree of at least so many entries. @returns null where it has none */
export async function findSignedAt(db: Queryable, size: number): Promise<Date | null> {
  const row = await db
    .selectFrom('record_checkpoints')
    .select('signed_at')
    .where('size', '>=', size)
    .orderBy('size')
    .limit(1)
    .executeTakeFirst()
  return row?.signed_at ?? null
}

/** Hashes of leaves from one on, in order. */
export async function findLeafHashes(db: Queryable, from: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('record_entries')
    .select('leaf_hash')
    .where('log_index', '>=', from)
    .orderBy('log_index')
    .execute()
  return rows.map((row) => row.leaf_hash)
}

/** Roots of the full tiles of a level from one on, in order. */
export async function findTileRoots(db: Queryable, level: number, from: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('record_tiles')
    .select('root')
    .where('level', '=', level)
    .where('tile_index', '>=', from)
    .orderBy('tile_index')
    .execute()
  return rows.map((row) => row.root)
}

/** Leaves of a range, in order. */
export async function findLeaves(db: Queryable, from: number, to: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('record_entries')
    .select('leaf')
    .where('log_index', '>=', from)
    .where('log_index', '<', to)
    .orderBy('log_index')
    .execute()
  return rows.map((row) => row.leaf)
}

/**
 * The hashes of tiles as they are now: a full one as it is kept, any other from what it is made of.
 * @returns 32 bytes for each hash, in the order of `tiles`; empty where there is none
 */
export async function findTiles(
  db: Queryable,
  tiles: readonly { level: number; index: number }[],
): Promise<Buffer[]> {
  const { rows } = await sql<{ hashes: Buffer | null }>`
    select coalesce(kept.hashes, case when wanted.level = 0
        then (select string_agg(leaf_hash, ''::bytea order by log_index) from record_entries
          where log_index >= wanted.index * 256 and log_index < wanted.index * 256 + 256)
        else (select string_agg(root, ''::bytea order by tile_index) from record_tiles below
          where below.level = wanted.level - 1
            and below.tile_index >= wanted.index * 256 and below.tile_index < wanted.index * 256 + 256)
      end) as hashes
    from unnest(${tiles.map(({ level }) => level)}::int[], ${tiles.map(({ index }) => index)}::bigint[])
        with ordinality wanted (level, index, nth)
      left join record_tiles kept on kept.level = wanted.level and kept.tile_index = wanted.index
    order by wanted.nth`.execute(db)
  return rows.map(({ hashes }) => hashes ?? Buffer.alloc(0))
}

export type Gap = { resumedAtSize: number; lostSize: number; lostNote: string; publishedAt: Date }

/** Entries that restored backups have lost, the oldest first. */
export async function findGaps(db: Queryable): Promise<Gap[]> {
  return db
    .selectFrom('record_gaps')
    .select([
      'resumed_at_size as resumedAtSize',
      'lost_size as lostSize',
      'lost_note as lostNote',
      'published_at as publishedAt',
    ])
    .orderBy('published_at')
    .execute()
}

export async function insertGap(db: Queryable, gap: Gap): Promise<void> {
  await db
    .insertInto('record_gaps')
    .values({
      resumed_at_size: gap.resumedAtSize,
      lost_size: gap.lostSize,
      lost_note: gap.lostNote,
      published_at: gap.publishedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
