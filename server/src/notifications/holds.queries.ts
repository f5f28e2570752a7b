import { sql } from 'kysely'
import type pg from 'pg'
import { type Queryable, withTransaction } from '../platform/database.ts'
import { operatorMail } from '../platform/operator-mail.ts'
import type { RangeKey } from './progress.queries.ts'
import type { NotedRefusal } from './refusal-window.ts'

/** A second job of this key replaces one that waits: two workers that find the same out at once send one mail. */
const OPERATOR_MAIL_KEY = 'mail-server-refuses-us'

/**
 * Lets a range wait, free of any lease. With the first range that waits the operator is mailed; there is no further mail
 * while any range has come to nothing since.
 * @param number of the worker that holds the lease; without it nothing is written
 */
export async function holdRange(
  client: pg.Client,
  number: number,
  hold: { range: RangeKey; until: Date; now: Date; notice: { subject: string; text: string } },
): Promise<void> {
  await client.query({
    name: 'hold-range',
    text: `with held as (
        update delivery_ranges set held_until = $5::timestamptz, held_at = $6::timestamptz, holds = holds + 1,
          lease_owner = null, leased_at = null
        where trader_id = $2 and event_no = $3 and from_mail_no = $4 and lease_owner = $1
        returning holds
      )
      select graphile_worker.add_job('${operatorMail.name}', payload => $7::json, job_key => '${OPERATOR_MAIL_KEY}')
      from held where holds = 1 and not exists (
        select from delivery_ranges other where done_at is null and holds > 0
          and (trader_id, event_no, from_mail_no) <> ($2::uuid, $3::bigint, $4::bigint)
      )`,
    values: [
      number,
      hold.range.traderId,
      hold.range.eventNo,
      hold.range.from,
      hold.until,
      hold.now,
      JSON.stringify(operatorMail.payload.parse(hold.notice)),
    ],
  })
}

/** Takes back what was held against recipients: their mails are tried again, and whoever was suppressed is no more. */
export async function withdrawRefusals(
  db: Queryable,
  refusals: NotedRefusal[],
  retryAt: Date,
): Promise<void> {
  if (refusals.length === 0) return
  const traders = refusals.map(({ traderId }) => traderId)
  const events = refusals.map(({ eventNo }) => eventNo)
  const people = refusals.map(({ userId }) => userId)
  await withTransaction(db, async (tx) => {
    await sql`update delivery_exceptions refused
      set state = 'retry', retry_at = ${retryAt}, tries = tries - 1, refusals = refusals - 1
      from unnest(${traders}::uuid[], ${events}::bigint[], ${refusals.map(({ mailNo }) => mailNo)}::bigint[])
        as noted (trader_id, event_no, mail_no)
      where refused.trader_id = noted.trader_id and refused.event_no = noted.event_no
        and refused.mail_no = noted.mail_no and refused.state in ('retry', 'refused') and refused.refusals > 0`.execute(
      tx,
    )
    await sql`delete from mail_refusals refusal
      using unnest(${people}::uuid[], ${traders}::uuid[], ${events}::bigint[]) as noted (user_id, trader_id, event_no)
      where refusal.user_id = noted.user_id and refusal.trader_id = noted.trader_id
        and refusal.event_no = noted.event_no`.execute(tx)
    await tx.deleteFrom('suppressions').where('user_id', 'in', people).execute()
  })
}
