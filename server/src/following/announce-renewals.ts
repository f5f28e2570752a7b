import { DAY_MS } from '@tradepost/contract/trading-day'
import { queueMails } from '../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { dayOf } from './count-results.ts'
import { listRenewingPeople } from './renewal-mails.queries.ts'

/** Of a statement. */
const PEOPLE_AT_ONCE = 500
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Has everybody mailed of whom subscriptions renew tomorrow, in UTC, once (rule G-110). A mail's cause is the day, so this may run again, and
 * goes on where a run was cut off.
 */
export async function announceAllRenewals(db: Queryable, now: Date): Promise<void> {
  const day = dayOf(new Date(now.getTime() + DAY_MS))
  const mail = { kind: 'renewal_ahead', facts: { day }, cause: `renewal:${day}` } as const
  for (let after = BEFORE_ALL; ; ) {
    const people = await listRenewingPeople(db, { day, after, limit: PEOPLE_AT_ONCE })
    await withTransaction(db, (tx) => queueMails(tx, mail, people, now))
    const last = people.at(-1)
    if (!last || people.length < PEOPLE_AT_ONCE) return
    after = last
  }
}
