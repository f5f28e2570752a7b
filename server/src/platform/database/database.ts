import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type Log, reasonOf } from '../log.ts'
import { Connections } from './connections.ts'
import { makeDatabasePool } from './database-client.ts'
import { isDatabaseAway, tookTooLong } from './database-errors.ts'
import { type DiskWatch, makeDiskWatch } from './disk-watch.ts'
import { makePipelinedConnection } from './pipelined-connection.ts'
import type { Queryable } from './queryable.ts'
import type { DB } from './schema.ts'

export type Database = {
  db: Queryable
  /** The same database over one connection that all requests share, for the short reads that most of them begin with. */
  pipelined: Queryable
  pool: pg.Pool
  disk: DiskWatch
  /** Ends the connections that wait for work, since another one of the process has gone silent. */
  dropIdle(): void
  close(): Promise<void>
}

/** Requests end within 5 seconds even when the database hangs; these bounds leave room for the answer. */
const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 4000
/** The server's own limit for a statement. Shorter than ours, so that no answer by ours means that nobody is there. */
const STATEMENT_TIMEOUT_MS = 3500

// numeric stays text (exact decimals); counters are far below 2^53.
const INT8_OID = 20
const types = new pg.TypeOverrides()
types.setTypeParser(INT8_OID, Number)
/**
 * Longer than sweeps pause: a connection that an idle product opens again for each sweep costs more than they do. Shorter than proxies on
 * the way wait, many of which cut a silent connection after 50 s.
 */
const IDLE_MS = 30_000
const HOW_TO_READ = { keepAlive: true, types }

/** Travel with the start of a connection; poolers refuse what they do not know there. */
const STARTUP_PARAMETERS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: 10_000,
}

/**
 * @param options.size connections of this process, beside the shared one
 * @param options.pooled whether a pooler of transactions is at that address: the role has to have the server's limits then
 * (docs/operations.md)
 */
export function connectDatabase(options: {
  url: string
  size: number
  pooled?: boolean
  log: Log
}): Database {
  const config = {
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    ...(!options.pooled && STARTUP_PARAMETERS),
  }
  const disk = makeDiskWatch(options.log)
  const noteLoss = (error: Error) =>
    options.log.warn({ reason: error.message }, 'a database connection was lost')
  const { connections, db, pool, prepare } = openPool(config, options.size, {
    lost: noteLoss,
    failed: (error) => disk.note(error),
  })
  const pipelined = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: makePipelinedConnection({ ...config, ...HOW_TO_READ }, prepare) }),
  })
  const close = () => connections.end(Promise.all([db.destroy(), pipelined.destroy()]))
  return { db, pipelined, pool, disk, dropIdle: () => connections.dropIdle(), close }
}

/**
 * A pool whose connections prepare what they are asked, and are ended once they are silent.
 * @param size connections at most
 * @param note.lost is given each loss of a connection, `failed` each error that a statement ends with
 */
export function openPool(
  config: pg.ClientConfig,
  size: number,
  note: { lost(error: Error): void; failed(error: unknown): void },
) {
  const connections = new Connections(note.lost)
  const prepare = (client: pg.ClientBase) => {
    connections.adopt(client, note.failed)
    prepareByText(client)
  }
  const given = { ...config, ...HOW_TO_READ, max: size, idleTimeoutMillis: IDLE_MS }
  const pool = makeDatabasePool(given).on('connect', prepare)
  connections.adoptPool(pool)
  return { connections, pool, prepare, db: new Kysely<DB>({ dialect: new PostgresDialect({ pool }) }) }
}

const names = new Map<string, string>()

/**
 * Makes every statement of the connection a named prepared one: the server plans each text once a connection. Texts are
 * built by code from a closed set of shapes (lists travel as one array parameter), so names do not pile up.
 */
export function prepareByText(client: pg.ClientBase): void {
  const plain = client.query.bind(client) as (...args: unknown[]) => unknown
  const prepared = (...args: unknown[]) => {
    const [text, values] = args
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return plain(...args)
    return plain({ name: statementName(text), text, values }, ...args.slice(2))
  }
  client.query = prepared as typeof client.query
}

function statementName(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    names.set(text, name)
  }
  return name
}

const ASK_AGAIN_MS = 500
/**
 * For a step of a start, which may be repeated: it is, as long as the database does not answer in time, and the log records it once.
 * How soon it answers is the machine's affair.
 * @throws what else the step throws
 */
export async function untilAnswered<T>(log: Log, step: () => Promise<T>): Promise<T> {
  for (let logged = false; ; logged = true) {
    try {
      return await step()
    } catch (error) {
      if (!tookTooLong(error) && !isDatabaseAway(error)) throw error
      if (!logged) log.warn({ reason: reasonOf(error) }, 'the database does not answer yet')
      await pause(ASK_AGAIN_MS)
    }
  }
}
