import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { reasonOf } from './http/error-handler.ts'
import type { Log } from './log.ts'

/** First half of the advisory lock that a living worker holds; the second is its number. */
export const WORKER_LOCK_CLASS = 7_238

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
export async function endWorker(client: pg.Client, number: number): Promise<boolean> {
  const { rows } = await client.query<{ over: boolean }>(
    `select pg_terminate_backend(pid, $3) as over from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [WORKER_LOCK_CLASS, number, END_SESSION_MS],
  )
  return rows.every(({ over }) => over)
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

/** The second half, of the name that an expression of SQL is. Not negative, since `pg_locks` shows it without a sign. */
const queueNumber = (name: string) => `hashtext(${name}) & 2147483647`

/** In SQL, whether the queue that an expression names shows that it lives. */
export const isQueueAlive = (name: string) => `exists (select from pg_locks
  where locktype = 'advisory' and classid = ${QUEUE_LOCK_CLASS} and objsubid = 2 and granted
    and objid::bigint = ${queueNumber(name)}
    and database = (select oid from pg_database where datname = current_database()))`

/**
 * A queue's sign of life, as a worker's: the lock is gone the moment the process dies. A session that was lost is opened
 * again. Returns once the lock is held.
 * @param name under which it takes jobs
 */
export async function showQueueAlive(
  databaseUrl: string,
  name: string,
  log: Log,
): Promise<{ end(): Promise<void> }> {
  const held = Promise.withResolvers<void>()
  let ending = false
  let client: pg.Client | null = null
  const hold = async () => {
    const session = new pg.Client({ connectionString: databaseUrl, keepAlive: true })
    client = session
    // One loss can be told more than once.
    session.on('error', () => undefined)
    const over = once(session, 'end')
    over.catch(() => undefined)
    await session.connect()
    // Shared: the one that was lost may still be held at the server for a while.
    await session.query(`select pg_advisory_lock_shared(${QUEUE_LOCK_CLASS}, ${queueNumber('$1')})`, [name])
    held.resolve()
    await over
  }
  const keepHolding = async () => {
    while (!ending) {
      await hold().catch((error: unknown) =>
        log.warn({ reason: reasonOf(error) }, 'a queue lost its session'),
      )
      if (!ending) await pause(REOPEN_MS)
    }
  }
  const holding = keepHolding()
  await held.promise
  return {
    async end() {
      ending = true
      await client?.end().catch(() => undefined)
      await holding
    },
  }
}
