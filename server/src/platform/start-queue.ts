import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from './log.ts'
import { type QueueOptions, type QueueRun, startRun } from './queue-run.ts'

/** Between two tries to start while the database is away. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000
/** For jobs in hand when a queue is stopped. */
const STOP_MS = 2500
const LOOKS = 5
const LOOK_PAUSE_MS = 1000

/**
 * Runs tasks until stopped: rare, short jobs only (never one a mail). Returns once it listens for new jobs, whenever the
 * database is there. After a fault the library is started again under another name, and the jobs in hand go on.
 * @returns `stop` waits 2.5 seconds for jobs in hand, and ends within five
 */
export async function startQueue(options: QueueOptions): Promise<{ stop(): Promise<void> }> {
  const stop = new AbortController()
  const first = await startInTime(options, stop.signal)
  await first?.shown
  const running = keepRunning(options, first, stop.signal)
  return {
    async stop() {
      stop.abort()
      await running
    },
  }
}

async function keepRunning(options: QueueOptions, first: QueueRun | null, stop: AbortSignal): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<null>()
  stop.addEventListener('abort', () => resolve(null))
  const ending = new Set<Promise<void>>()
  for (let run = first; run; ) {
    const started = performance.now()
    const fault = await Promise.race([run.broken, stopped])
    const idle = run.stopTaking()
    if (!stop.aborted)
      options.log.warn({ reason: reasonOf(fault) }, 'a job queue is started again after a fault')
    const next = startNext(options, started, stop)
    const end = endRun(run, { idle, next, stop }).finally(() => ending.delete(end))
    ending.add(end)
    run = await next
  }
  await Promise.all(ending)
}

/** A run that fails as soon as it has started does not make the next one fail at once. */
async function startNext(
  options: QueueOptions,
  started: number,
  stop: AbortSignal,
): Promise<QueueRun | null> {
  const wait = started + LONGEST_PAUSE_MS - performance.now()
  if (wait > 0) await pause(wait, undefined, { signal: stop }).catch(() => undefined)
  return startInTime(options, stop)
}

/** Starts the library as soon as the database is there. @returns null when stopped before */
async function startInTime(options: QueueOptions, stop: AbortSignal): Promise<QueueRun | null> {
  for (let wait = FIRST_PAUSE_MS; !stop.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      return await startRun(options, stop)
    } catch (error) {
      if (wait === FIRST_PAUSE_MS)
        options.log.warn({ reason: reasonOf(error) }, 'a queue waits for the database')
    }
    await pause(wait, undefined, { signal: stop }).catch(() => undefined)
  }
  return null
}

/** Lets jobs in hand end, and has the next run free those that this one took without hearing of it. */
async function endRun(
  run: QueueRun,
  { idle, next, stop }: { idle: Promise<void>; next: Promise<QueueRun | null>; stop: AbortSignal },
): Promise<void> {
  const { promise: tooLate, resolve } = Promise.withResolvers<void>()
  const wait = () => setTimeout(resolve, STOP_MS).unref()
  if (stop.aborted) wait()
  else stop.addEventListener('abort', wait)
  const end = async () => {
    await idle
    const follower = await next
    if (follower) await freeUnknownJobs(run, follower, stop)
    await run.held.none()
  }
  await Promise.race([end(), tooLate])
  stop.removeEventListener('abort', wait)
  await run.close()
}

/** A statement that took a job can come late at the server, so there is more than one look. */
async function freeUnknownJobs(run: QueueRun, next: QueueRun, stop: AbortSignal): Promise<void> {
  for (let look = 0; look < LOOKS && !stop.aborted; look += 1) {
    // Where it fails, the sweep finds them once the run's sign of life is gone.
    await next.pool
      .query(
        `update graphile_worker._private_jobs set locked_at = null, locked_by = null
         where locked_by = $1 and not id = any($2::bigint[])`,
        [run.name, [...run.held.ids]],
      )
      .catch(() => undefined)
    await pause(LOOK_PAUSE_MS, undefined, { signal: stop }).catch(() => undefined)
  }
}
