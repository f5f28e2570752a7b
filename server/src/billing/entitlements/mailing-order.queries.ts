import type { Queryable } from '../../platform/database/queryable.ts'

/** The last place in a trader's mailing order; 0 without followers. */
export async function findLastMailNo(db: Queryable, traderId: string): Promise<number> {
  const row = await db
    .selectFrom('traders')
    .select('last_mail_no')
    .where('trader_id', '=', traderId)
    .executeTakeFirst()
  return row?.last_mail_no ?? 0
}
