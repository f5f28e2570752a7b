import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Logger, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import { isDatabaseAway } from './database.ts'
import type { HeldJobs } from './held-jobs.ts'
import { type Log, reasonOf } from './log.ts'
import type { Task } from './queue.ts'
import { CONNECTION_LOST, openQueueConnection, type QueueConnection } from './queue-connection.ts'
import { showQueueAlive } from './workers.ts'

const POLL_MS = 1000
/** A job is run again for so long, with these pauses, while the database is away. */
const LONGEST_OUTAGE_MS = 120_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000

export type QueueOptions = {
  /** A direct connection, as for `enterWorkers`. */
  databaseUrl: string
  tasks: Task[]
  /** Tasks that run by the clock on the wall, in cron's notation (UTC). */
  crontab: string
  concurrency: number
  log: Log
}

/** The library at work, from its start to its first fault. */
export type QueueRun = {
  /** Under which it takes jobs. */
  name: string
  pool: pg.Pool
  held: HeldJobs
  /** Resolves when others can see that it lives. */
  shown: Promise<void>
  /** Resolves, with the reason, when another one must take its place. */
  broken: Promise<unknown>
  /** Takes no more jobs; resolves when none can be on its way to it any more. */
  stopTaking(): Promise<void>
  /** Within two seconds; what is still in hand goes to others. */
  close(): Promise<void>
}

/**
 * @param signal ends a start that hangs
 * @throws when the database is away
 */
export async function startRun(options: QueueOptions, signal: AbortSignal): Promise<QueueRun> {
  const { databaseUrl, log } = options
  const connection = openQueueConnection(databaseUrl, log)
  const giveUp = () => void connection.close()
  signal.addEventListener('abort', giveUp)
  const events: WorkerEvents = new EventEmitter()
  let name = ''
  events.on('pool:create', ({ workerPool }) => {
    name = workerPool.id
  })
  const stuck = findStuck(events)
  try {
    const runner = await run({
      pgPool: connection.pool,
      events,
      taskList: listTasks(options.tasks, connection, log),
      crontab: options.crontab,
      concurrency: options.concurrency,
      noHandleSignals: true,
      pollInterval: POLL_MS,
      logger: queueLogger(log),
    })
    const ended = runner.promise.then(
      () => new Error('the library stopped'),
      (error: unknown) => error,
    )
    const life = showQueueAlive(databaseUrl, name, log)
    return {
      name,
      pool: connection.pool,
      held: connection.held,
      shown: life.shown,
      broken: Promise.race([connection.lost, stuck, ended]),
      stopTaking() {
        // Its own end can take minutes while the database is away, and is not waited for.
        runner.stop().catch(() => undefined)
        return connection.idle()
      },
      async close() {
        await Promise.all([connection.close(), life.end()])
      },
    }
  } catch (error) {
    await connection.close()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function listTasks(tasks: Task[], connection: QueueConnection, log: Log): TaskList {
  const list: TaskList = {}
  for (const task of tasks)
    list[task.name] = async (payload, { job }) => {
      connection.held.take(job.id)
      try {
        await runThroughOutage(() => task.run(payload, job.id), connection.closed)
      } catch (error) {
        const tries = `${job.attempts} of ${job.max_attempts}`
        log.error({ job: task.name, jobId: job.id, tries, reason: reasonOf(error) }, 'a job failed')
        throw error
      }
    }
  return list
}

/** A job that fails since the database is away is run again once it is back, not after the library's growing pauses. */
async function runThroughOutage(run: () => Promise<void>, closed: AbortSignal): Promise<void> {
  const deadline = performance.now() + LONGEST_OUTAGE_MS
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (!isDatabaseAway(error) || closed.aborted || performance.now() > deadline) throw error
    }
    await pause(wait, undefined, { signal: closed }).catch(() => undefined)
  }
}

/** The library looks its tasks up once, and keeps a failure for ever: it comes back as the very same error. */
function findStuck(events: WorkerEvents): Promise<unknown> {
  const seen = new WeakSet<object>()
  return new Promise((resolve) => {
    events.on('worker:getJob:error', ({ error }) => {
      if (error instanceof Error && seen.has(error)) resolve(error)
      else if (error instanceof Error) seen.add(error)
    })
  })
}

/** How the library says that a job failed. */
const FAILED_JOB = 'Failed task '

/** The library's own lines carry job payloads on failure; only its words are passed on. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    // Said already, without what the words of a fault may quote of people.
    if (message.startsWith(FAILED_JOB)) return
    const reason = message.split('\n')[0]
    // In an outage the queue itself says once that it waits.
    if (level === 'error' && !message.includes(CONNECTION_LOST)) log.error({ reason }, 'a job queue failed')
    // Fewer connections than jobs at a time is meant so: a job uses none of them while it runs.
    else if (level === 'warning' && !message.includes('maxPoolSize'))
      log.warn({ reason }, 'a job queue warns')
    else log.debug(message)
  })
}
