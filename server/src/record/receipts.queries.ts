import { sql } from 'kysely'
import type { EventKey } from '../events/events.queries.ts'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import type { PositionKey } from '../positions/record/adjustments.queries.ts'

/** The parts of a receipt, but its path. */
export type LoggedEvent = {
  index: number
  leaf: Buffer
  seq: number
  text: string
  saltKey: Buffer
  /** Of the newest checkpoint. */
  size: number
  note: string
  eventNo: number
  positionId: string
  change: string
}

/** @returns one; none while the event is not logged, and once its person is erased */
export const findLoggedEvent = (db: Queryable, event: EventKey): Promise<LoggedEvent[]> =>
  selectLoggedEvent(db, event)

/** The logged events of a position, in their order. */
export const findLoggedEvents = (db: Queryable, { id, traderId }: PositionKey): Promise<LoggedEvent[]> =>
  selectLoggedEvents(db, { id, traderId })

const LOGGED = sql`
  select plan.log_index as index, entry.leaf, plan.seq, words.text, record.salt_key as "saltKey", head.size, head.note,
    plan.event_no as "eventNo", plan.position_id as "positionId", plan.change
  from record_plan plan
    join record_entries entry using (log_index)
    join record_texts words using (log_index)
    join records record on record.record_id = words.record_id and record.salt_key is not null
    cross join record_head head
  where head.size > plan.log_index and head.note is not null`

const selectLoggedEvent = compiledQuery(
  (_db, { eventNo, traderId }: EventKey) =>
    sql<LoggedEvent>`${LOGGED} and plan.trader_id = ${traderId} and plan.event_no = ${eventNo}`,
)

const selectLoggedEvents = compiledQuery(
  (_db, { id, traderId }: PositionKey) =>
    sql<LoggedEvent>`${LOGGED} and plan.trader_id = ${traderId} and plan.position_id = ${id} order by plan.seq`,
)

/** @property windows numbers of events, a multirange as PostgreSQL writes it @property after the number that the first comes behind */
export type LoggedPage = { traderId: string; windows: string; after: number; limit: number }

/** A trader's logged events whose numbers are in some windows, in order. */
export const findLoggedAfter = compiledQuery(
  (_db, { after, limit, traderId, windows }: LoggedPage) => sql<LoggedEvent>`${LOGGED}
    and plan.trader_id = ${traderId} and plan.event_no > ${after}::bigint and ${windows}::int8multirange @> plan.event_no
  order by plan.event_no limit ${limit}`,
)
