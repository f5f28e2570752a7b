import type { Queryable } from '../platform/database/queryable.ts'
import { updatePositionMails } from './accounts.queries.ts'

/**
 * Turns the mails about positions of all traders on or off for one person, of traders followed later too (rule G-120, ADR 0124). The switch of
 * each trader keeps its value; subscriptions, notifications and Activity go on. Turned on again, only later events are mailed. Safe to
 * repeat.
 * @returns whether they are on
 */
export async function switchPositionMails(
  db: Queryable,
  { userId }: { userId: string },
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  await updatePositionMails(db, userId, enabled, now)
  return enabled
}
