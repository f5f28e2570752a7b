import { sql } from 'kysely'
import type * as z from 'zod'
import type { Queryable } from './database.ts'
import { isQueueAlive } from './workers.ts'

/**
 * Longer than any job takes: who lives and still holds one hangs. The longest is a single mail, for which the mail server
 * may take minutes at every stage (RFC 5321, 4.5.3.2), and which is said once more on another connection.
 */
const LONGEST_JOB_SECONDS = 3600
/** A queue may take its first jobs a moment before it shows that it lives. */
const FIRST_SIGN_SECONDS = 10

/** A job's name and the shape of its payload; its handler stands in a `.task.ts` file. */
export type Job<Payload> = { name: string; payload: z.ZodType<Payload> }

/** A handler for a job: may run more than once, so it is written to be repeated. */
export type Task = { name: string; run(payload: unknown, jobId: string): Promise<void> }

export function defineJob<Payload>(name: string, payload: z.ZodType<Payload>): Job<Payload> {
  return { name, payload }
}

/** @param run gets the job's id too, which stays the same over its tries */
export function defineTask<Payload>(
  job: Job<Payload>,
  run: (payload: Payload, jobId: string) => Promise<void>,
): Task {
  return { name: job.name, run: async (payload, jobId) => run(job.payload.parse(payload), jobId) }
}

/**
 * Adds a job in the caller's transaction: it exists exactly when that commits.
 * @param options.key a second job of this key replaces the first while that one waits
 * @param options.maxAttempts tries with growing pauses until it is given up, 25 unless given
 */
export async function enqueue<Payload>(
  db: Queryable,
  job: Job<Payload>,
  payload: Payload,
  options: { key?: string; maxAttempts?: number } = {},
): Promise<void> {
  const body = JSON.stringify(job.payload.parse(payload))
  await sql`select graphile_worker.add_job(${job.name}, payload => ${body}::json,
    job_key => ${options.key ?? null}, max_attempts => ${options.maxAttempts ?? 25})`.execute(db)
}

/**
 * Lets go of jobs whose worker died with them in its hands, so that another one takes them at once. The library itself
 * waits four hours for that. The queue counts by the database's own time, so this does too.
 */
export async function releaseDeadJobs(db: Queryable): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(array_agg(locked_by))
    from graphile_worker._private_jobs
    where locked_at < now() - make_interval(secs => ${LONGEST_JOB_SECONDS})
      or (locked_at < now() - make_interval(secs => ${FIRST_SIGN_SECONDS})
        and not ${sql.raw(isQueueAlive('locked_by'))})
    having count(*) > 0`.execute(db)
}
