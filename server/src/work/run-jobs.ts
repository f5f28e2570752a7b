import type { Clock } from '../platform/clock.ts'
import { isDatabaseAway } from '../platform/database/database-errors.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { backOff, SLOWING } from './back-off.ts'
import {
  insertRecurring,
  JOBS,
  type JobEnding,
  type LeasedJob,
  leaseJobs,
  recordJobs,
} from './jobs.queries.ts'
import { type Task, untilNext } from './jobs.ts'
import { type RunningWork, runWork, type Work } from './run-work.ts'
import type { WorkSession } from './work-session.ts'

/** The key of a job that comes by itself. */
const RECURRING = 'every'
const RECURRING_TRIES = 25
/** A job that fails since the database is away comes again so soon, within the same try. */
const AWAY_PAUSE_MS = 500

export type JobsDeps = {
  session: WorkSession
  clock: Clock
  log: Log
  /** Names the jobs in the log. */
  name: string
  tasks: Task[]
  atOnce: number
}

/** Runs jobs until stopped: rare, short ones (never one a mail). Several processes may: each job is leased to one. */
export function startJobs(deps: JobsDeps): RunningWork {
  const { session, tasks } = deps
  const recurring = tasks.flatMap(({ every, name }) =>
    every ? [{ name, pauseMs: untilNext(every, new Date()) }] : [],
  )
  void session.runUntilDone((client) => insertRecurring(client, recurring, RECURRING, RECURRING_TRIES))
  return runWork(deps, jobsWork(deps))
}

function jobsWork({ atOnce, log, name, tasks }: JobsDeps): Work<LeasedJob, JobEnding> {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const names = [...byName.keys()]
  const quoted = names.map((each) => `'${each}'`).join(', ')
  return {
    name: `jobs, ${name}`,
    table: JOBS,
    keyOf: (job) => [job.name, job.key],
    channel: 'work',
    isFor: (payload) => byName.has(payload),
    atOnce,
    waiting: () => `name in (${quoted}) and parked_at is null and due_at <= now()`,
    lease: (client, terms, limit) => leaseJobs(client, terms, { names, limit }),
    record: (client, endings, { numbers }) => recordJobs(client, numbers.all, endings),
    async handle(jobs, end) {
      await Promise.all(jobs.map(async (job) => end(job, await runJob(byName.get(job.name), job, log))))
    },
  }
}

/** Runs a job once. Never rejects. */
export async function runJob(task: Task | undefined, job: LeasedJob, log: Log): Promise<JobEnding> {
  const { asks, key, name } = job
  const ended = { name, key, asks }
  const every = key === RECURRING ? task?.every : undefined
  try {
    if (!task) throw new Error('nobody does this job')
    await task.run(job.facts, key)
    if (!every) return { ...ended, done: true }
    return { ...ended, done: false, tries: 0, pauseMs: untilNext(every, new Date()), fault: null }
  } catch (error) {
    const fault = reasonOf(error)
    if (isDatabaseAway(error))
      return { ...ended, done: false, tries: job.tries, pauseMs: AWAY_PAUSE_MS, fault }
    const tries = job.tries + 1
    log.error(
      { job: name, jobKey: key, tries: `${tries} of ${job.mostTries}`, reason: fault },
      'a job failed',
    )
    const pause = tries < job.mostTries ? backOff(SLOWING, tries) : null
    const pauseMs = every ? Math.min(pause ?? Number.POSITIVE_INFINITY, untilNext(every, new Date())) : pause
    return { ...ended, done: false, tries, pauseMs, fault }
  }
}
