import type * as z from 'zod'
import type { Queryable } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import { insertJob } from './jobs.queries.ts'

const MOST_TRIES = 25

/** A job's name and the shape of its payload; its handler stands in a `.task.ts` file. */
export type Job<Payload> = { name: string; payload: z.ZodType<Payload> }

/** A handler for a job: may run more than once, so it is written to be repeated. @property every when it comes by itself, beside being asked for */
export type Task = {
  name: string
  run(payload: unknown, jobKey: string): Promise<void>
  every?: Every
}

/** When a job comes again and again (UTC): each hour at this minute, or each day at this hour and minute. */
export type Every = { hour?: number; minute: number }

export function defineJob<Payload>(name: string, payload: z.ZodType<Payload>): Job<Payload> {
  return { name, payload }
}

/** @param run gets the job's key too, which stays the same over its tries */
export function defineTask<Payload>(
  job: Job<Payload>,
  run: (payload: Payload, jobKey: string) => Promise<void>,
  every?: Every,
): Task {
  return {
    name: job.name,
    run: async (payload, jobKey) => run(job.payload.parse(payload), jobKey),
    ...(every && { every }),
  }
}

/**
 * Adds a job in the caller's transaction: it exists exactly when that commits. It is tried 25 times with growing pauses.
 * @param options.key a second job of this key replaces the first while that one waits
 */
export function enqueue<Payload>(
  db: Queryable,
  job: Job<Payload>,
  payload: Payload,
  options: { key?: string } = {},
): Promise<void> {
  const { key = newId() } = options
  const facts = JSON.stringify(job.payload.parse(payload))
  return insertJob(db, { name: job.name, key, facts, mostTries: MOST_TRIES })
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** @returns milliseconds until the next time, at least one */
export function untilNext({ hour, minute }: Every, now: Date): number {
  const period = hour === undefined ? HOUR_MS : DAY_MS
  const place = (hour ?? 0) * HOUR_MS + minute * MINUTE_MS
  return period - ((now.getTime() - place) % period)
}
