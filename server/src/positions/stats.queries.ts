import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

/** In the transaction of the open. */
export async function countOpened(tx: Queryable, traderId: string): Promise<void> {
  await tx
    .insertInto('trader_stats')
    .values({ trader_id: traderId, open_count: 1 })
    .onConflict((conflict) =>
      conflict
        .column('trader_id')
        .doUpdateSet((eb) => ({ open_count: eb('trader_stats.open_count', '+', 1) })),
    )
    .execute()
}

/** In the transaction of the close. @param gain percent, exact decimal text */
export async function countClosed(tx: Queryable, traderId: string, gain: string): Promise<void> {
  await tx
    .updateTable('trader_stats')
    .set((eb) => ({
      open_count: eb('open_count', '-', 1),
      closed_count: eb('closed_count', '+', 1),
      gain_sum: sql`gain_sum + ${gain}::numeric`,
    }))
    .where('trader_id', '=', traderId)
    .returning('trader_id')
    .executeTakeFirstOrThrow()
}

/** In the transaction that changes the gain of a closed position. @param gain percent, exact decimal text */
export async function correctGain(
  tx: Queryable,
  traderId: string,
  gain: { before: string; after: string },
): Promise<void> {
  await tx
    .updateTable('trader_stats')
    .set({ gain_sum: sql`gain_sum - ${gain.before}::numeric + ${gain.after}::numeric` })
    .where('trader_id', '=', traderId)
    .returning('trader_id')
    .executeTakeFirstOrThrow()
}

/** A page of the traders that may have statistics, in order of their ids. */
export async function listTraderIds(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('traders')
    .select('trader_id')
    .where('trader_id', '>', after)
    .orderBy('trader_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.trader_id)
}

/** Counts one trader's positions again. @returns whether what stood there was wrong */
export async function recount(tx: Queryable, traderId: string): Promise<boolean> {
  const result = await sql`
    insert into trader_stats (trader_id, open_count, closed_count, gain_sum)
    select ${traderId}::uuid, count(*) filter (where closed_at is null), count(*) filter (where closed_at is not null),
      coalesce(sum(percentage_gain), 0)
    from positions where trader_id = ${traderId}::uuid
    having count(*) > 0 or exists (select 1 from trader_stats where trader_id = ${traderId}::uuid)
    on conflict (trader_id) do update
      set open_count = excluded.open_count, closed_count = excluded.closed_count, gain_sum = excluded.gain_sum
      where (trader_stats.open_count, trader_stats.closed_count, trader_stats.gain_sum)
        is distinct from (excluded.open_count, excluded.closed_count, excluded.gain_sum)`.execute(tx)
  return result.numAffectedRows === 1n
}
