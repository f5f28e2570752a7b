import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'

export type EventKey = { traderId: string; eventNo: number }

export type PositionEvent = EventKey & {
  positionId: string
  /** `settled`: an unsettled close has its price. `adjusted`: an operator set its prices right, after a split or since one was wrong. */
  kind: 'opened' | 'closed' | 'settled' | 'adjusted'
  createdAt: Date
  /** Id of the request that published it, as in the log; null for none. */
  requestId: string | null
}

/** The number of an event, and whether any reader has to do something about it. */
export type DrawnEvent = { eventNo: number; hasWork: boolean }

/**
 * Draws the number of the trader's next event, one more than the last committed, and writes the work of every registered reader: for
 * readers that act for followers alone, only where there is a follower (ADR 0100). Takes the lock of the trader's sequence, so draw
 * late in a transaction.
 * @throws for a trader without a sequence (no username)
 */
export async function drawEvent(tx: Queryable, traderId: string, now: Date): Promise<DrawnEvent> {
  const [row] = await callDrawEvent(tx, { traderId, now })
  if (!row || row.eventNo === null) throw new Error('a trader without a sequence')
  return { eventNo: row.eventNo, hasWork: row.hasWork }
}

const callDrawEvent = compiledQuery(
  (_db, { now, traderId }: { traderId: string; now: Date }) => sql<{
    eventNo: number | null
    hasWork: boolean
  }>`
    select drawn as "eventNo", has_work as "hasWork" from draw_event(${traderId}, ${now})`,
)

/** Writes an event whose number was drawn in this transaction. */
export async function insertEvent(tx: Queryable, event: PositionEvent): Promise<void> {
  await insertEventRow(tx, event)
}

const insertEventRow = compiledQuery((db, event: PositionEvent) =>
  db.insertInto('position_events').values({
    trader_id: event.traderId,
    event_no: event.eventNo,
    position_id: event.positionId,
    kind: event.kind,
    created_at: event.createdAt,
    request_id: event.requestId,
  }),
)

/** Traders of whom an event was published between two instants whose number was not drawn. */
export async function findUnfinished(
  db: Queryable,
  { after, until }: { after: Date; until: Date },
): Promise<string[]> {
  const published = await db
    .selectFrom('position_events')
    .select(({ fn }) => ['trader_id as traderId', fn.max('event_no').as('eventNo')])
    .where('created_at', '>', after)
    .where('created_at', '<=', until)
    .groupBy('trader_id')
    .execute()
  if (published.length === 0) return []
  const { rows } = await sql<{ traderId: string }>`
    select trader_id as "traderId"
    from unnest(${published.map(({ traderId }) => traderId)}::uuid[], ${published.map(({ eventNo }) => eventNo)}::bigint[])
      published (trader_id, event_no)
    join traders using (trader_id) where traders.last_event_no < published.event_no`.execute(db)
  return rows.map(({ traderId }) => traderId)
}

/**
 * Draws the numbers of events that a crash left half published, and writes the work of each.
 * @param tx holds the lock of the trader's sequence, whose last number is given
 * @returns the ids of their positions
 */
export async function writeUnfinished(
  tx: Queryable,
  { lastEventNo, traderId }: { traderId: string; lastEventNo: number },
): Promise<string[]> {
  const events = await tx
    .selectFrom('position_events')
    .select(['event_no as eventNo', 'created_at as createdAt', 'position_id as positionId'])
    .where('trader_id', '=', traderId)
    .where('event_no', '>', lastEventNo)
    .orderBy('event_no')
    .execute()
  const last = events.at(-1)
  if (!last) return []
  await writeWork(tx, traderId, events)
  await tx
    .updateTable('traders')
    .set({ last_event_no: last.eventNo })
    .where('trader_id', '=', traderId)
    .execute()
  return events.map(({ positionId }) => positionId)
}

async function writeWork(
  db: Queryable,
  traderId: string,
  events: readonly { eventNo: number; createdAt: Date }[],
): Promise<void> {
  await sql`
    insert into event_work (trader_id, reader, event_no, created_at)
    select ${traderId}::uuid, reader.name, event.event_no, event.created_at
    from unnest(${events.map(({ eventNo }) => eventNo)}::bigint[], ${events.map(({ createdAt }) => createdAt)}::timestamptz[])
      event (event_no, created_at)
    cross join event_readers reader
    on conflict do nothing`.execute(db)
}

/** Numbers of the last events of traders. */
export async function findLastEvents(db: Queryable, traderIds: string[]): Promise<Map<string, number>> {
  const rows = await selectLastEvents(db, { traderIds })
  return new Map(rows.map(({ lastEventNo, traderId }) => [traderId, lastEventNo]))
}

/**
 * Finds the traders who have published more since, among traders of whom the caller knows events up to a number.
 * @param known.traderIds and, in the same order, `known.eventNos`, as arrays in PostgreSQL's notation
 */
export async function findBehind(
  db: Queryable,
  known: { traderIds: string; eventNos: string },
): Promise<string[]> {
  const rows = await selectBehind(db, known)
  return rows.map(({ traderId }) => traderId)
}

const selectBehind = compiledQuery(
  (_db, { eventNos, traderIds }: { traderIds: string; eventNos: string }) => sql<{ traderId: string }>`
    select trader.trader_id as "traderId"
    from unnest(${traderIds}::uuid[], ${eventNos}::bigint[]) known (trader_id, event_no)
    join traders trader on trader.trader_id = known.trader_id and trader.last_event_no > known.event_no`,
)

const selectLastEvents = compiledQuery(
  (_db, { traderIds }: { traderIds: string[] }) => sql<{ traderId: string; lastEventNo: number }>`
    select trader_id as "traderId", last_event_no as "lastEventNo" from traders where trader_id = any(${traderIds}::uuid[])`,
)
