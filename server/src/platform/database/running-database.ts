import { makeLog } from '../log.ts'
import { connectDatabase, type Database } from './database.ts'

/**
 * The database of the running product, for commands beside it.
 * @param url its address; null when nothing runs
 * @throws then
 */
export function connectRunningDatabase(url: string | null): Database {
  if (!url)
    throw new Error('There is no running database: start the product (npm start), or set DATABASE_URL.')
  return connectDatabase({ url, size: 2, log: makeLog('error', true) })
}
