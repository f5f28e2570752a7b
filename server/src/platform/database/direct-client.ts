import pg from 'pg'
import { DatabaseClient } from './database-client.ts'

const CONNECT_TIMEOUT_MS = 4000
/** The server ends a statement after the first limit and reports that. Without an answer by the second, the connection is dead. */
const STATEMENT_TIMEOUT_MS = 3500
const ANSWER_TIMEOUT_MS = 4000
const INT8_OID = 20

/** Of a connection that is kept as long as its process has it: for locks of the session and for notifications. Not connected yet. */
export function makeDirectClient(databaseUrl: string): pg.Client {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8_OID, Number)
  return new DatabaseClient({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    types,
  })
}
