import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { notifyWhileItLasts } from '../outbox/operator-notices.ts'
import { countRefusedAt } from '../suppressions/suppressions.queries.ts'

/** The kind of its notice. */
export const ADDRESSES_REFUSED = 'addresses-refused'
const MANY = 3

/** Mails the operator, once while it lasts, where the addresses of three followers or more are refused at one event. */
export async function notifyOfRefusedAddresses(
  { clock, db }: { clock: Clock; db: Queryable },
  event: { traderId: string; eventNo: number },
): Promise<void> {
  if ((await countRefusedAt(db, event)) < MANY) return
  await withTransaction(db, (tx) => notifyWhileItLasts(tx, ADDRESSES_REFUSED, NOTICE, clock.now()))
}

const NOTICE = {
  subject: 'several addresses of one position’s followers are refused',
  text: [
    'The mail server says of three followers of one position or more that their addresses do not exist. Where that is true, they are',
    'suppressed after a second refusal a day later; where the server has gone wrong, they have their mails within a quarter of an hour',
    'of its being right again, and nobody is suppressed.',
    '',
    '`npm run operator -- suppressions` lists who is; the log of the mail server says why.',
  ].join('\n'),
}
