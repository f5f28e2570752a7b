import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export async function deleteEndedDeliveries(db: Queryable, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from push_deliveries where ctid = any(array(
      select ctid from push_deliveries where ended_at < ${before} limit ${limit}
    ))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
