import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type * as z from 'zod'
import type { Queryable } from './database.ts'
import type { Log } from './log.ts'
import { isQueueAlive, showQueueAlive } from './workers.ts'

/** Far longer than any job takes, since each is short and bounds its waiting: who lives and still holds one hangs. */
const LONGEST_JOB_SECONDS = 300
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

/** Runs tasks until stopped: rare, short jobs only (never one a mail). Returns once it listens for new jobs. */
export async function startQueue(options: {
  pool: pg.Pool
  /** A direct connection, as for `enterWorkers`. */
  databaseUrl: string
  tasks: Task[]
  /** Tasks that run by the clock on the wall, in cron's notation (UTC). */
  crontab: string
  concurrency: number
  log: Log
}): Promise<{ stop(): Promise<void> }> {
  const taskList: TaskList = {}
  for (const task of options.tasks) taskList[task.name] = (payload, { job }) => task.run(payload, job.id)
  const events: WorkerEvents = new EventEmitter()
  let name = ''
  events.on('pool:create', ({ workerPool }) => {
    name = workerPool.id
  })
  const runner: Runner = await run({
    pgPool: options.pool,
    events,
    taskList,
    crontab: options.crontab,
    concurrency: options.concurrency,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: queueLogger(options.log),
  })
  runner.promise.catch((error: Error) =>
    options.log.error({ reason: error.message }, 'the job queue stopped'),
  )
  const life = await showQueueAlive(options.databaseUrl, name, options.log)
  return {
    async stop() {
      await runner.stop()
      await life.end()
    },
  }
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

/** The library's own lines carry job payloads on failure; only its words are passed on. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error(message.split('\n')[0])
    else if (level === 'warning') log.warn(message.split('\n')[0])
    else log.debug(message)
  })
}
