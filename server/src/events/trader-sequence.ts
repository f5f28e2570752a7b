/**
 * The sequence of a trader's events: one row, locked by everything that publishes an event or changes who receives one.
 * The holder of the lock commits before the next one gets it, so numbers drawn here follow the order of commits, and the
 * audience of an event is found by comparing numbers. Every function needs a transaction. The lock lasts until its end,
 * so draw late. A trader without a sequence (no username) is an error.
 */
import type { Queryable } from '../platform/database/queryable.ts'

/** Made with the username: from then on the account can publish. */
export async function makeTraderSequence(tx: Queryable, traderId: string, now: Date): Promise<void> {
  await tx.insertInto('traders').values({ trader_id: traderId, created_at: now }).execute()
}

/** A new subscription's place in the mailing order, and the last event that it comes too late for. */
export async function drawMailNo(
  tx: Queryable,
  traderId: string,
): Promise<{ mailNo: number; lastEventNo: number }> {
  const row = await tx
    .updateTable('traders')
    .set((eb) => ({ last_mail_no: eb('last_mail_no', '+', 1) }))
    .where('trader_id', '=', traderId)
    .returning(['last_mail_no', 'last_event_no'])
    .executeTakeFirstOrThrow()
  return { mailNo: row.last_mail_no, lastEventNo: row.last_event_no }
}

/** Takes the lock without drawing. @returns number of the trader's last event, 0 before the first */
export async function lockTraderSequence(tx: Queryable, traderId: string): Promise<number> {
  const row = await tx
    .selectFrom('traders')
    .select('last_event_no')
    .where('trader_id', '=', traderId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row.last_event_no
}
