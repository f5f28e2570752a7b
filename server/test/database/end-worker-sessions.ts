import type pg from 'pg'
import { WORKER_LOCK_CLASS } from '../../src/platform/database/living-workers.ts'

/**
 * Ends the sessions by which workers of this database show that they live; those of others on the same server have the same numbers.
 * @param number of one worker; all of them unless given
 */
export async function endWorkerSessions(pool: pg.Pool, number: number | null = null): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_locks
     where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted and ($2::bigint is null or objid::bigint = $2)
       and database = (select oid from pg_database where datname = current_database())`,
    [WORKER_LOCK_CLASS, number],
  )
}
