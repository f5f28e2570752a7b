import type { Kysely, Transaction } from 'kysely'
import type { DB } from './schema.ts'

/** The database or a transaction on it; the first argument of every query function, so the caller decides which. */
export type Queryable = Kysely<DB>

/** Runs `work` in one transaction; it commits when the promise resolves and rolls back when it rejects. */
export function withTransaction<T>(db: Queryable, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  return db.transaction().execute(work)
}
