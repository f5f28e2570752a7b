import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/**
 * In the transaction of the open.
 * @param openedAt of the position; that of the first one is kept
 * @returns whether the trader is suspended, or their account closed: that waits for this row, and this for it
 */
export async function countOpened(tx: Queryable, traderId: string, openedAt: Date): Promise<boolean> {
  const [row] = await raiseOpenCount(tx, { traderId, openedAt })
  return row?.suspended === true
}

const raiseOpenCount = compiledQuery((db, { openedAt, traderId }: { traderId: string; openedAt: Date }) =>
  db
    .insertInto('trader_stats')
    .values({ trader_id: traderId, open_count: 1, first_opened_at: openedAt })
    .onConflict((conflict) =>
      conflict.column('trader_id').doUpdateSet((eb) => ({
        open_count: eb('trader_stats.open_count', '+', 1),
        first_opened_at: eb.fn.coalesce('trader_stats.first_opened_at', 'excluded.first_opened_at'),
      })),
    )
    .returning('suspended'),
)

/**
 * In the transaction of the close.
 * @param close.gain percent, exact decimal text; `kept`: within its plan
 * @returns as `countOpened`
 */
export async function countClosed(
  tx: Queryable,
  traderId: string,
  close: { gain: string; kept: boolean },
): Promise<boolean> {
  const { suspended } = await tx
    .updateTable('trader_stats')
    .set((eb) => ({
      open_count: eb('open_count', '-', 1),
      closed_count: eb('closed_count', '+', 1),
      ...gained(close),
    }))
    .where('trader_id', '=', traderId)
    .returning('suspended')
    .executeTakeFirstOrThrow()
  return suspended
}

/** In the transaction of a close that is unsettled: no average knows its gain. @returns as `countOpened` */
export async function countUnsettled(tx: Queryable, traderId: string): Promise<boolean> {
  const { suspended } = await tx
    .updateTable('trader_stats')
    .set((eb) => ({
      open_count: eb('open_count', '-', 1),
      closed_count: eb('closed_count', '+', 1),
      unsettled_count: eb('unsettled_count', '+', 1),
    }))
    .where('trader_id', '=', traderId)
    .returning('suspended')
    .executeTakeFirstOrThrow()
  return suspended
}

/** In the transaction that settles a close. @param close as of `countClosed` */
export async function countSettled(
  tx: Queryable,
  traderId: string,
  close: { gain: string; kept: boolean },
): Promise<void> {
  await tx
    .updateTable('trader_stats')
    .set((eb) => ({ unsettled_count: eb('unsettled_count', '-', 1), ...gained(close) }))
    .where('trader_id', '=', traderId)
    .returning('trader_id')
    .executeTakeFirstOrThrow()
}

function gained(close: { gain: string; kept: boolean }) {
  return {
    gain_sum: sql<string>`gain_sum + ${close.gain}::numeric`,
    win_count: sql<number>`win_count + (${close.gain}::numeric > 0)::int`,
    kept_count: sql<number>`kept_count + ${close.kept}::boolean::int`,
  }
}

/** In the transaction that strikes a position. @param was the state in which it was counted; a close as of `countClosed` */
export async function countStruck(
  tx: Queryable,
  traderId: string,
  was: 'open' | 'unsettled' | { gain: string; kept: boolean },
): Promise<void> {
  await tx
    .updateTable('trader_stats')
    .set((eb) => (was === 'open' ? { open_count: eb('open_count', '-', 1) } : lost(was)))
    .where('trader_id', '=', traderId)
    .returning('trader_id')
    .executeTakeFirstOrThrow()
}

function lost(close: 'unsettled' | { gain: string; kept: boolean }) {
  const closed = { closed_count: sql<number>`closed_count - 1` }
  if (close === 'unsettled') return { ...closed, unsettled_count: sql<number>`unsettled_count - 1` }
  return {
    ...closed,
    gain_sum: sql<string>`gain_sum - ${close.gain}::numeric`,
    win_count: sql<number>`win_count - (${close.gain}::numeric > 0)::int`,
    kept_count: sql<number>`kept_count - ${close.kept}::boolean::int`,
  }
}

/** In the transaction that strikes a position, once it is struck: the first one may be another now, or there is none. */
export async function countFirstOpening(tx: Queryable, traderId: string): Promise<void> {
  const { first } = await tx
    .selectFrom('positions')
    .select((eb) => eb.fn.min('opened_at').as('first'))
    .where('trader_id', '=', traderId)
    .where('struck_at', 'is', null)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('trader_stats')
    .set({ first_opened_at: first })
    .where('trader_id', '=', traderId)
    .execute()
}

/** In the transaction that changes the gain of a closed position. @param gain percent, exact decimal text */
export async function correctGain(
  tx: Queryable,
  traderId: string,
  gain: { before: string; after: string },
): Promise<void> {
  await tx
    .updateTable('trader_stats')
    .set({
      gain_sum: sql`gain_sum - ${gain.before}::numeric + ${gain.after}::numeric`,
      win_count: sql`win_count - (${gain.before}::numeric > 0)::int + (${gain.after}::numeric > 0)::int`,
    })
    .where('trader_id', '=', traderId)
    .returning('trader_id')
    .executeTakeFirstOrThrow()
}

/** Keeps a trader's statistics from changing until the transaction ends. The first opening makes them: without them nothing is counted. */
export async function lockStatistics(tx: Queryable, traderId: string): Promise<void> {
  await tx
    .selectFrom('trader_stats')
    .select('trader_id')
    .where('trader_id', '=', traderId)
    .forUpdate()
    .execute()
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

type ClosedSpan = { openedAt: Date; closedAt: Date; holdLength: HoldLength }

/** When a trader's settled positions were open, and for how long each was meant to be; without struck ones. */
export async function listClosedSpans(tx: Queryable, traderId: string): Promise<ClosedSpan[]> {
  return tx
    .selectFrom('positions')
    .select(['opened_at as openedAt', 'closed_at as closedAt', 'hold_length as holdLength'])
    .where('trader_id', '=', traderId)
    .where('closed_at', 'is not', null)
    .where('unsettled', '=', false)
    .where('struck_at', 'is', null)
    .$narrowType<{ closedAt: Date }>()
    .execute()
}

/**
 * Counts one trader's positions again, but for struck ones.
 * @param kept how many were closed within their plan
 * @returns whether what stood there was wrong
 */
export async function recount(tx: Queryable, traderId: string, kept: number): Promise<boolean> {
  // The returned rows count, not the number of affected rows: on Citus that includes a row that was left as it was.
  const { rows } = await sql`
    insert into trader_stats (trader_id, open_count, closed_count, unsettled_count, gain_sum, win_count, kept_count, first_opened_at)
    select ${traderId}::uuid, count(*) filter (where closed_at is null), count(*) filter (where closed_at is not null),
      count(*) filter (where unsettled), coalesce(sum(percentage_gain) filter (where not unsettled), 0)::numeric(44, 12),
      count(*) filter (where percentage_gain > 0 and not unsettled), ${kept}, min(opened_at)
    from positions where trader_id = ${traderId}::uuid and struck_at is null
    having count(*) > 0 or exists (select 1 from trader_stats where trader_id = ${traderId}::uuid)
    on conflict (trader_id) do update
      set open_count = excluded.open_count, closed_count = excluded.closed_count,
        unsettled_count = excluded.unsettled_count, gain_sum = excluded.gain_sum,
        win_count = excluded.win_count, kept_count = excluded.kept_count, first_opened_at = excluded.first_opened_at
      where (trader_stats.open_count, trader_stats.closed_count, trader_stats.unsettled_count, trader_stats.gain_sum, trader_stats.win_count,
          trader_stats.kept_count, trader_stats.first_opened_at)
        is distinct from (excluded.open_count, excluded.closed_count, excluded.unsettled_count, excluded.gain_sum, excluded.win_count,
          excluded.kept_count, excluded.first_opened_at)
    returning trader_id`.execute(tx)
  return rows.length > 0
}
