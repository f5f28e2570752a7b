import { connectDatabase, type Database } from './database.ts'
import { findRunningPostgres } from './embedded-postgres.ts'
import type { Env } from './env.ts'
import { makeLog } from './log.ts'

/**
 * The database of the running product, for commands beside it: DATABASE_URL, or the embedded one under DATA_DIR.
 * @throws when nothing runs
 */
export async function connectRunningDatabase(env: Env): Promise<Database> {
  const url = env.DATABASE_URL ?? (await findRunningPostgres(env.DATA_DIR))
  if (!url)
    throw new Error('There is no running database: start the product (npm start), or set DATABASE_URL.')
  return connectDatabase({ url, size: 2, log: makeLog('error', true) })
}
