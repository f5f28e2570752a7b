import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/**
 * Leaves room in the numbering of each trader's events. The events after the backup had the next numbers: mails about them bear
 * the numbers in their Message-ID, and open pages remember the last number that they received.
 */
export async function skipEventNumbers(tx: Queryable, room: number): Promise<void> {
  await sql`update traders set last_event_no = last_event_no + ${room}::bigint`.execute(tx)
}

/** Ends every session, and with it every device that notifications are pushed to. @returns how many */
export async function endAllSessions(tx: Queryable, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * Gives mails about positions up that wait.
 * @param publishedBefore of the events that are meant
 * @returns how many, at most: places of ranges that are left, and tries
 */
export async function giveMailsUp(tx: Queryable, publishedBefore: Date, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with meant as (
      select trader_id, event_no from position_events where created_at < ${publishedBefore}
    ), unplanned as (
      delete from event_work work using meant
      where work.reader = 'mail' and work.trader_id = meant.trader_id and work.event_no = meant.event_no
    ), ended as (
      update delivery_ranges range set done_at = ${now}, lease_owner = null, leased_at = null,
        held_until = null, held_at = null
      from meant where range.channel = 'mail' and range.done_at is null
        and range.trader_id = meant.trader_id and range.event_no = meant.event_no
      returning to_mail_no - progress_mail_no as places
    ), failed as (
      update delivery_exceptions retry
      set state = 'failed', retry_at = null, lease_owner = null, leased_at = null, updated_at = ${now}
      from meant where retry.channel = 'mail' and retry.state = 'retry'
        and retry.trader_id = meant.trader_id and retry.event_no = meant.event_no
      returning 1
    )
    select (select coalesce(sum(places), 0) from ended)::int + (select count(*) from failed)::int as count`.execute(
    tx,
  )
  return rows[0]?.count ?? 0
}

/** Gives single mails up that wait. @returns how many */
export async function giveSingleMailsUp(tx: Queryable, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('outbox')
    .set({
      ended_at: now,
      ended_as: 'given up',
      fault: 'the database was restored',
      lease_owner: null,
      leased_at: null,
      place_in: null,
    })
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Has every open payout account read at Stripe again: Stripe does not send again what it sent of them after the backup. */
export async function lookAtAllPayoutAccounts(tx: Queryable, now: Date): Promise<void> {
  await tx
    .updateTable('payout_accounts')
    .set({ look_at: now, tries: 0 })
    .where('stripe_account_id', 'is not', null)
    .where('closed_at', 'is', null)
    .execute()
}
