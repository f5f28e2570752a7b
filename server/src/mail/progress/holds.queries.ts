import { sql } from 'kysely'
import type pg from 'pg'
import type { Queryable } from '../../platform/database/queryable.ts'

export type Hold = {
  range: { traderId: string; eventNo: number; from: number }
  until: Date
  now: Date
}

/**
 * Lets a range wait, free of any lease.
 * @param number of the worker that holds the lease; without it nothing is written
 */
export async function holdRange(client: pg.Client, number: number, hold: Hold): Promise<void> {
  await client.query({
    name: 'hold-range',
    text: `update delivery_ranges set held_until = $5, held_at = $6, holds = holds + 1,
        lease_owner = null, leased_at = null
      where trader_id = $2 and event_no = $3 and channel = 'mail' and from_mail_no = $4 and lease_owner = $1`,
    values: [number, hold.range.traderId, hold.range.eventNo, hold.range.from, hold.until, hold.now],
  })
}

/**
 * Takes back the refusals that were counted against recipients: their mails are tried again, and their suppression ends.
 * @param tx a transaction
 */
export async function withdrawRefusals(
  tx: Queryable,
  refusals: { traderId: string; eventNo: number; mailNo: number; userId: string }[],
  retryAt: Date,
): Promise<void> {
  const traders = refusals.map(({ traderId }) => traderId)
  const events = refusals.map(({ eventNo }) => eventNo)
  const people = refusals.map(({ userId }) => userId)
  await sql`update delivery_exceptions refused
    set state = 'retry', retry_at = ${retryAt}, tries = greatest(tries - 1, 0),
      refusals = least(greatest(refusals - 1, 0), greatest(tries - 1, 0))
    from unnest(${traders}::uuid[], ${events}::bigint[], ${refusals.map(({ mailNo }) => mailNo)}::bigint[])
      as noted (trader_id, event_no, mail_no)
    where refused.trader_id = noted.trader_id and refused.event_no = noted.event_no
      and refused.channel = 'mail' and refused.mail_no = noted.mail_no and refused.state in ('retry', 'refused', 'skipped')`.execute(
    tx,
  )
  await sql`delete from mail_refusals refusal
    using unnest(${people}::uuid[], ${traders}::uuid[], ${events}::bigint[]) as noted (user_id, trader_id, event_no)
    where refusal.user_id = noted.user_id and refusal.trader_id = noted.trader_id
      and refusal.event_no = noted.event_no`.execute(tx)
  await sql`delete from suppressions where user_id = any(${people}::uuid[]) and cause = 'refused'`.execute(tx)
}
