import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { endInTime } from './connections.ts'
import { DatabaseClient } from './database-client.ts'
import { WORKER_LOCK_CLASS } from './living-workers.ts'
import { type Log, reasonOf } from './log.ts'

/** A server that cannot end a session at once has this long for it. */
const END_SESSION_MS = 1000

/**
 * Makes a session the sign of life of a new worker: an advisory lock on the worker's number. The lock is gone the moment
 * the process dies, on any machine, so nobody needs a heartbeat to know. A direct connection: a transaction pooler would
 * lend the session to others.
 * @returns the number, which no other worker ever had
 */
export async function enterWorkers(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ number: number }>("select nextval('worker_numbers')::int as number")
  const number = rows[0]?.number ?? 0
  await client.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK_CLASS, number])
  return number
}

/**
 * Ends the session of a worker at the server, where one that its client has given up can live on for long: what is held
 * under its number is free then, and none of its statements can come late.
 * @param client another session
 * @returns whether it is over
 */
async function endWorker(client: pg.Client, number: number): Promise<boolean> {
  const { rows } = await client.query<{ over: boolean }>(
    `select pg_terminate_backend(pid, $3) as over from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [WORKER_LOCK_CLASS, number, END_SESSION_MS],
  )
  return rows.every(({ over }) => over)
}

/** As `endWorker`. Without the right to end a session nothing happens: its leases become free when they have grown old. */
export async function endWorkerIfAllowed(client: pg.Client, number: number): Promise<void> {
  await endWorker(client, number).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError)) throw error
  })
}

/** Whether any worker lives; part of readiness. */
export async function isWorkerRunning(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database()) limit 1`,
    [WORKER_LOCK_CLASS],
  )
  return (rowCount ?? 0) > 0
}

/** First half of the advisory lock that a living queue holds; the second is made of the name under which it takes jobs. */
export const QUEUE_LOCK_CLASS = 7_239
const REOPEN_MS = 500
/** A session is asked so often whether it is still there, and has so long to answer. */
const BEAT_MS = 5000
const ANSWER_TIMEOUT_MS = 4000

/** The second half, of the name that an expression of SQL is. Not negative, since `pg_locks` shows it without a sign. */
const queueNumber = (name: string) => `hashtext(${name}) & 2147483647`

const queueLocks = (name: string) => `from pg_locks
  where locktype = 'advisory' and classid = ${QUEUE_LOCK_CLASS} and objsubid = 2 and granted
    and objid::bigint = ${queueNumber(name)}
    and database = (select oid from pg_database where datname = current_database())`

/** In SQL, whether the queue that an expression names shows that it lives. */
export const isQueueAlive = (name: string) => `exists (select ${queueLocks(name)})`

/**
 * A queue's sign of life, as a worker's: the lock is gone the moment the process dies. A session that was lost, or has
 * gone silent, is opened again, and ended at the server.
 * @param name under which it takes jobs
 * @returns `shown` resolves once the lock is held
 */
export function showQueueAlive(
  databaseUrl: string,
  name: string,
  log: Log,
): { shown: Promise<void>; end(): Promise<void> } {
  const { promise: shown, resolve } = Promise.withResolvers<void>()
  const ending = new AbortController()
  const keepHolding = async () => {
    while (!ending.signal.aborted) {
      await holdQueueLock(databaseUrl, { name, onHeld: resolve, ending: ending.signal }).catch(
        (error: unknown) => {
          if (!ending.signal.aborted) log.warn({ reason: reasonOf(error) }, 'a queue lost its session')
        },
      )
      await pause(REOPEN_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const holding = keepHolding()
  return {
    shown,
    async end() {
      ending.abort()
      await holding
    },
  }
}

/** Holds it in one session until that is lost. @throws then */
async function holdQueueLock(
  databaseUrl: string,
  { name, onHeld, ending }: { name: string; onHeld: () => void; ending: AbortSignal },
): Promise<void> {
  const session = new DatabaseClient({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  })
  const { promise: over, reject } = Promise.withResolvers<never>()
  over.catch(() => undefined)
  session.on('error', reject).on('end', () => reject(new Error('a queue lost its session')))
  ending.addEventListener('abort', () => reject(new Error('the queue ends')))
  const hold = async () => {
    await session.connect()
    // Shared: the session that was lost may still hold it at the server.
    await session.query(`select pg_advisory_lock_shared(${QUEUE_LOCK_CLASS}, ${queueNumber('$1')})`, [name])
    await session.query(`select pg_terminate_backend(pid) ${queueLocks('$1')} and pid <> pg_backend_pid()`, [
      name,
    ])
    onHeld()
    for (;;) {
      await pause(BEAT_MS, undefined, { signal: ending })
      await session.query('select')
    }
  }
  await Promise.race([hold(), over]).finally(() => endInTime(session.end(), [session]))
}
