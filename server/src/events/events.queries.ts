import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'

export type EventKey = { traderId: string; eventNo: number }

export type PositionEvent = EventKey & {
  positionId: string
  /** `adjusted`: an operator counted its prices anew, since the stock was split. */
  kind: 'opened' | 'closed' | 'adjusted'
  createdAt: Date
  /** Of the request that published it, as the log has it; null for none. */
  requestId: string | null
}

/**
 * Writes an event and the work of every reader that is registered when it runs, in one statement.
 * @param tx holds the lock of the trader's sequence, from which the number was drawn
 */
export async function insertEvent(tx: Queryable, event: PositionEvent): Promise<void> {
  await insertEventAndWork(tx, event)
}

const insertEventAndWork = compiledQuery(
  (_db, event: PositionEvent) => sql`
    with event as (
      insert into position_events (trader_id, event_no, position_id, kind, created_at, request_id, work_written)
      values (${event.traderId}, ${event.eventNo}, ${event.positionId}, ${event.kind}, ${event.createdAt}, ${event.requestId}, true)
      returning trader_id, event_no, created_at
    )
    insert into event_work (trader_id, reader, event_no, created_at)
    select event.trader_id, reader.name, event.event_no, event.created_at
    from event cross join event_readers reader`,
)

/**
 * Writes the work of events that a process of the version before has written during an upgrade (decision 0034).
 * @returns whether there were any
 */
export async function writeMissingWork(db: Queryable): Promise<boolean> {
  const { rows } = await sql`
    with event as (
      update position_events set work_written = true where not work_written returning trader_id, event_no, created_at
    )
    insert into event_work (trader_id, reader, event_no, created_at)
    select event.trader_id, reader.name, event.event_no, event.created_at
    from event cross join event_readers reader
    on conflict do nothing returning 1`.execute(db)
  return rows.length > 0
}

/** Numbers of the last events of traders. */
export async function findLastEvents(db: Queryable, traderIds: string[]): Promise<Map<string, number>> {
  const rows = await selectLastEvents(db, { traderIds })
  return new Map(rows.map(({ lastEventNo, traderId }) => [traderId, lastEventNo]))
}

const selectLastEvents = compiledQuery(
  (_db, { traderIds }: { traderIds: string[] }) => sql<{ traderId: string; lastEventNo: number }>`
    select trader_id as "traderId", last_event_no as "lastEventNo" from traders where trader_id = any(${traderIds}::uuid[])`,
)
