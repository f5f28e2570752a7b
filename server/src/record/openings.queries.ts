import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

type OpeningRow = {
  /** Null once the person is erased. */
  text: string | null
  /** Null for an entry of the log itself. */
  record: Buffer | null
  saltKey: Buffer | null
  seq: number | null
  traderId: string | null
  positionId: string | null
}

/** @returns null where there is no such entry */
export async function findOpening(db: Queryable, index: number): Promise<OpeningRow | null> {
  const { rows } = await sql<OpeningRow>`
    select words.text, words.record_id as record, record.salt_key as "saltKey", plan.seq, plan.trader_id as "traderId",
      plan.position_id as "positionId"
    from record_entries entry
      left join record_texts words using (log_index)
      left join records record on record.record_id = words.record_id
      left join record_plan plan using (log_index)
    where entry.log_index = ${index}`.execute(db)
  return rows[0] ?? null
}

/** The facts by which a position is public or sealed. */
export async function findSealing(
  db: Queryable,
  { id, traderId }: { traderId: string; id: string },
): Promise<{ closedAt: Date | null; publicAt: Date | null; openedAt: Date; holdLength: HoldLength } | null> {
  const row = await db
    .selectFrom('positions')
    .select([
      'closed_at as closedAt',
      'public_at as publicAt',
      'opened_at as openedAt',
      'hold_length as holdLength',
    ])
    .where('trader_id', '=', traderId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export type TraderRow = { record: Buffer; seq: number; traderId: string }

/** @param username in any case @returns null for nobody, and for a trader who has published nothing yet */
export async function findRecordOf(db: Queryable, username: string): Promise<TraderRow | null> {
  const { rows } = await sql<TraderRow>`
    select record.record_id as record, record.seq, record.trader_id as "traderId"
    from accounts account join records record on record.trader_id = account.user_id
    where lower(account.username collate "C") = lower(${username}::text collate "C")`.execute(db)
  return rows[0] ?? null
}

export async function findIndexesOf(db: Queryable, traderId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('record_plan')
    .select('log_index')
    .where('trader_id', '=', traderId)
    .orderBy('seq')
    .execute()
  return rows.map((row) => row.log_index)
}

/** Positions as the product shows them; struck ones count as neither. */
export async function countPositions(
  db: Queryable,
  traderId: string,
): Promise<{ open: number; closed: number }> {
  const { rows } = await sql<{ open: number; closed: number }>`
    select count(*) filter (where closed_at is null)::int as open, count(*) filter (where closed_at is not null)::int as closed
    from positions where trader_id = ${traderId} and struck_at is null`.execute(db)
  return rows[0] ?? { open: 0, closed: 0 }
}

/** Takes a record its trader, its key and its words. @param tx holds the lock of the head */
export async function deleteWordsOf(
  tx: Queryable,
  { lastLeaf, record, seq }: { record: Buffer; seq: number; lastLeaf: Buffer },
  now: Date,
): Promise<void> {
  await tx.deleteFrom('record_texts').where('record_id', '=', record).execute()
  await tx
    .updateTable('records')
    .set({ trader_id: null, salt_key: null, erased_at: now, seq, last_leaf: lastLeaf })
    .where('record_id', '=', record)
    .execute()
}
