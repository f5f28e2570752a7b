import pg from 'pg'

/** First half of the advisory lock that a living worker holds; the second is its number. */
export const WORKER_LOCK_CLASS = 7_238

/**
 * A worker's sign of life: an advisory lock on its own number, held by a database session of its own. The lock is gone
 * the moment the process dies, on any machine, so nobody needs a heartbeat to know. A direct connection: a transaction
 * pooler would lend the session to others.
 */
export type WorkerPresence = {
  number: number
  /** Rejects when the session is lost: leases held under this number are then free for others. */
  lost: Promise<never>
  end(): Promise<void>
}

export async function enterWorkers(databaseUrl: string): Promise<WorkerPresence> {
  const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the worker lost its database session')))
  })
  lost.catch(() => undefined)
  await client.connect()
  const { rows } = await client.query<{ number: number }>("select nextval('worker_numbers')::int as number")
  const number = rows[0]?.number ?? 0
  await client.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK_CLASS, number])
  return { number, lost, end: () => client.end() }
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
