/**
 * The head of a trader's ledger: one row, locked by everything that publishes an event or changes who is entitled to
 * hear of one. Whoever holds it commits before the next is served, so numbers drawn here follow the order of commits
 * and an event's audience is a comparison of numbers. Every function needs a transaction; the lock lasts to its end, so
 * draw late. Traders without a head (no username) are an error.
 */
import type { Queryable } from '../platform/database.ts'

/** Made with the username: from then on the account can publish. */
export async function makeTraderHead(tx: Queryable, traderId: string, now: Date): Promise<void> {
  await tx.insertInto('traders').values({ trader_id: traderId, created_at: now }).execute()
}

/** The number of the trader's next event: one more than the last committed. */
export async function drawEventNo(tx: Queryable, traderId: string): Promise<number> {
  const head = await tx
    .updateTable('traders')
    .set((eb) => ({ last_event_no: eb('last_event_no', '+', 1) }))
    .where('trader_id', '=', traderId)
    .returning('last_event_no')
    .executeTakeFirstOrThrow()
  return head.last_event_no
}

/** A new subscription's place in the mailing order, and the last event that it comes too late for. */
export async function drawMailNo(
  tx: Queryable,
  traderId: string,
): Promise<{ mailNo: number; lastEventNo: number }> {
  const head = await tx
    .updateTable('traders')
    .set((eb) => ({ last_mail_no: eb('last_mail_no', '+', 1) }))
    .where('trader_id', '=', traderId)
    .returning(['last_mail_no', 'last_event_no'])
    .executeTakeFirstOrThrow()
  return { mailNo: head.last_mail_no, lastEventNo: head.last_event_no }
}

/** Takes the lock without drawing. @returns number of the trader's last event, 0 before the first */
export async function lockTraderHead(tx: Queryable, traderId: string): Promise<number> {
  const head = await tx
    .selectFrom('traders')
    .select('last_event_no')
    .where('trader_id', '=', traderId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return head.last_event_no
}
