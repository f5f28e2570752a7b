import pg from 'pg'

/** First half of the advisory lock that a living worker holds; the second is its number. */
export const WORKER_LOCK_CLASS = 7_238

/** A query for the numbers of workers whose session is alive. */
export const LIVING_WORKERS = `select objid::bigint::int as number from pg_locks
  where locktype = 'advisory' and classid = ${WORKER_LOCK_CLASS} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`

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
