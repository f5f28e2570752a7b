import type { Queryable } from '../../platform/database/queryable.ts'
import { noteCause } from './operator-notices.queries.ts'
import { queueMail } from './queue-mail.ts'

/**
 * Without cause for so long it is over, and the next cause is news: what a mail server holds up is tried again four times as
 * often, and mails are counted in ten minutes.
 */
const QUIET_MS = 3_600_000

/**
 * Mails the operator of something that goes on, once for as long as it does.
 * @param tx the transaction that gives the cause; called each time there is one
 * @param kind of the lasting fault
 */
export async function notifyWhileItLasts(
  tx: Queryable,
  kind: string,
  mail: { subject: string; text: string },
  now: Date,
): Promise<void> {
  const before = await noteCause(tx, kind, now)
  if (before && now.getTime() - before.getTime() < QUIET_MS) return
  await queueMail(tx, { kind: 'operator_notice', userId: null, cause: kind, facts: mail }, now)
}
