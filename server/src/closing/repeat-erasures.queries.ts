import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** Of these ids, those of people who are not erased. */
export async function listUnerased(db: Queryable, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('erased_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}
