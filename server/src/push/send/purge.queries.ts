import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Deletes notifications that ended before an instant. One that was taken while the mail of its event was given up stays for two months more: it
 * alone shows that the event reached its reader (rule G-127).
 */
export async function deleteEndedDeliveries(db: Queryable, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from push_deliveries where ctid = any(array(
      select ctid from push_deliveries push where ended_at < ${before}
        and not (ended_as = 'sent' and ended_at >= ${before}::timestamptz - interval '62 days' and exists (
          select from delivery_exceptions failed join subscriptions followed on followed.trader_id = failed.trader_id
            and followed.mail_no = failed.mail_no
          where failed.trader_id = push.trader_id and failed.event_no = push.event_no and failed.channel = 'mail'
            and failed.state = 'failed' and followed.subscriber_id = push.user_id))
      limit ${limit}
    ))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
