import type { Queryable } from '../../platform/database/queryable.ts'

/** The state that a reading of the mailbox leaves for the next one. */
export type Outcome = { nextAt: Date; readAt: Date | null; failures: number }

/** In SQL, whether the mailbox of reports may be due. @param at in SQL, when */
export function isReadingDue(at: string): string {
  return `exists (select from report_mailbox where next_at <= ${at})`
}

/**
 * Takes the turn to read the mailbox of reports when it is due.
 * @param until when another process may take it, if this one dies before it records its result
 * @returns how many readings in a row have failed; null when it is not due or another process reads
 */
export async function takeTurn(db: Queryable, now: Date, until: Date): Promise<number | null> {
  const row = await db
    .updateTable('report_mailbox')
    .set({ next_at: until })
    .where('next_at', '<=', now)
    .returning('failures')
    .executeTakeFirst()
  return row?.failures ?? null
}

export async function endTurn(db: Queryable, { failures, nextAt, readAt }: Outcome): Promise<void> {
  await db
    .updateTable('report_mailbox')
    .set({ next_at: nextAt, failures, ...(readAt && { read_at: readAt }) })
    .execute()
}
