import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** Keeps events from being numbered until the transaction ends: those numbered after it find the reader registered. */
export async function lockEvents(tx: Queryable): Promise<void> {
  await sql`lock table event_work in share mode`.execute(tx)
}

export async function isRegistered(db: Queryable, name: string): Promise<boolean> {
  const row = await db.selectFrom('event_readers').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

/** @returns false when it was there before */
export async function insertReader(tx: Queryable, name: string, now: Date): Promise<boolean> {
  const row = await tx
    .insertInto('event_readers')
    .values({ name, registered_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** Writes nothing where the row already has this value. */
export async function setFollowersOnly(db: Queryable, name: string, followersOnly: boolean): Promise<void> {
  await db
    .updateTable('event_readers')
    .set({ followers_only: followersOnly })
    .where('name', '=', name)
    .where('followers_only', '<>', followersOnly)
    .execute()
}

/** Owes a reader every trader's events up to now. @param tx holds the lock of events */
export async function insertBackfills(tx: Queryable, reader: string): Promise<void> {
  await sql`
    insert into event_backfills (trader_id, reader, last_event_no)
    select trader_id, ${reader}, last_event_no from traders where last_event_no > 0`.execute(tx)
}

/** Gives a reader the earlier events of one trader. @returns false when it is owed nobody's */
export async function backfillOne(tx: Queryable, reader: string): Promise<boolean> {
  const { rows } = await sql`
    with owed as (
      delete from event_backfills where ctid = (
        select ctid from event_backfills where reader = ${reader} limit 1 for update skip locked
      ) returning trader_id, last_event_no
    ), work as (
      insert into event_work (trader_id, reader, event_no, created_at)
      select event.trader_id, ${reader}, event.event_no, event.created_at
      from owed join position_events event
        on event.trader_id = owed.trader_id and event.event_no <= owed.last_event_no
    )
    select from owed`.execute(tx)
  return rows.length > 0
}
