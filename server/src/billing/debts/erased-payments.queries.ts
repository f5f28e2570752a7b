import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Deletes payments of people who are erased, once nobody may ask for them any more, and subscriptions without any payment left. The sums of
 * a trader's months stay, which name nobody.
 * @param before payments, debts and ends that are older go
 */
export async function deletePaymentsOfErased(db: Queryable, before: Date): Promise<void> {
  const ofErased = (trader: string, subscriber: string) => sql`exists (
    select from users where id in (${sql.ref(trader)}, ${sql.ref(subscriber)}) and erased_at is not null)`
  await sql`delete from invoices invoice using subscriptions followed
    where followed.trader_id = invoice.trader_id and followed.id = invoice.subscription_id and invoice.created_at < ${before}
      and ${ofErased('followed.trader_id', 'followed.subscriber_id')}`.execute(db)
  await sql`delete from debts debt where debt.created_at < ${before} and debt.state <> 'open'
      and ${ofErased('debt.trader_id', 'debt.subscriber_id')}`.execute(db)
  await sql`with gone as (
      delete from subscriptions followed where followed.status = 'canceled' and followed.ended_at < ${before}
        and ${ofErased('followed.trader_id', 'followed.subscriber_id')}
        and not exists (select from invoices where trader_id = followed.trader_id and subscription_id = followed.id)
      returning trader_id, id)
    delete from unsubscribe_tokens token using gone
    where token.trader_id = gone.trader_id and token.subscription_id = gone.id`.execute(db)
}
