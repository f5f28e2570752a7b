import type { Queryable } from '../../platform/database/queryable.ts'
import { noteCause } from './operator-notices.queries.ts'
import { queueMail } from './queue-mail.ts'

/**
 * After this long without a cause the fault is over, and the next cause is a new one: mails that a mail server holds up are tried again four times as
 * often, and mails are counted in ten minutes.
 */
const QUIET_MS = 3_600_000

/**
 * Mails the operator of a lasting fault, once for as long as it lasts.
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
