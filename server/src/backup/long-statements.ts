import { Kysely, PostgresDialect } from 'kysely'
import { makeDatabasePool } from '../platform/database/database-client.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { DB } from '../platform/database/schema.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Of a role that a pooler is used with (docs/operations.md); a restore and what follows it may take as long as they need. */
const NO_LIMITS = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=60s'

/**
 * Lends a connection whose statements may take as long as they need: they look at every row of large tables.
 * @param databaseUrl past a pooler
 * @throws what `work` throws, or why there is no connection
 */
export async function withoutLimits<T>(databaseUrl: string, work: (db: Queryable) => Promise<T>): Promise<T> {
  const pool = makeDatabasePool({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    max: 1,
    options: NO_LIMITS,
  })
  // A connection that is lost while it waits is reported by the next statement on it.
  pool.on('error', () => undefined)
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
