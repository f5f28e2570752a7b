import { sql } from 'kysely'
import type { Queryable } from '../platform/database.ts'

/** First half of the advisory lock that a living job queue of the version before holds; the second is made of its name. */
const QUEUE_LOCK_CLASS = 7_239
/** Longer than a job of that version takes: who lives and still holds one hangs. */
const LONGEST_JOB_SECONDS = 3600
/** A queue may have taken its first jobs a moment before it shows that it lives. */
const FIRST_SIGN_SECONDS = 10

/** Whether the job queue of the version before is there, and of which of these names the version before has queued jobs in ours. */
export async function findEarlierJobs(
  db: Queryable,
  names: readonly string[],
): Promise<{ hasQueue: boolean; names: string[] }> {
  const { rows } = await sql<{ hasQueue: boolean; names: string[] }>`
    select to_regclass('graphile_worker._private_jobs') is not null as "hasQueue",
      array(select distinct name from work where name = any(${names}::text[])) as names`.execute(db)
  return rows[0] ?? { hasQueue: false, names: [] }
}

/**
 * Takes jobs over from the job queue of the version before (a library's tables): all that nobody has in hand, and those of dead workers.
 */
export async function adoptQueuedJobs(db: Queryable): Promise<void> {
  await sql`
    with taken as (
      delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
      where task.id = job.task_id and (job.locked_at is null
        or job.locked_at < now() - make_interval(secs => ${LONGEST_JOB_SECONDS})
        or (job.locked_at < now() - make_interval(secs => ${FIRST_SIGN_SECONDS}) and not exists (
          select from pg_locks
          where locktype = 'advisory' and classid = ${QUEUE_LOCK_CLASS} and objsubid = 2 and granted
            and objid::bigint = hashtext(job.locked_by) & 2147483647
            and database = (select oid from pg_database where datname = current_database()))))
      returning task.identifier as name, coalesce(job.key, job.id::text) as key, job.payload, job.run_at, job.attempts,
        job.max_attempts, job.last_error
    ), adopted as (
      insert into work (name, key, facts, created_at, due_at, tries, most_tries, parked_at)
      select name, key, payload::jsonb, run_at, run_at, attempts, max_attempts,
        case when attempts >= max_attempts and last_error is not null then now() end
      from taken
      on conflict do nothing returning name)
    select pg_notify('work', name) from (select distinct name from adopted) names`.execute(db)
}
