import { sql } from 'kysely'
import type pg from 'pg'
import { LIVING_WORKERS } from '../platform/database/living-workers.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { LeaseTerms, WorkTable } from './leases.queries.ts'

export const JOBS: WorkTable = { name: 'work', key: { name: 'text', key: 'text' } }

/** @property asks how often it was asked for until it was leased @property tries earlier ones without success */
export type LeasedJob = {
  name: string
  key: string
  facts: unknown
  asks: number
  tries: number
  mostTries: number
}

/** The result of a job. @property pauseMs until it comes again; null parks it @property fault in words without addresses */
export type JobEnding = Pick<LeasedJob, 'name' | 'key' | 'asks'> &
  ({ done: true } | { done: false; tries: number; pauseMs: number | null; fault: string | null })

/** Has a job done once the transaction commits, and wakes the workers. One that waits already takes these facts, and is tried from the beginning. */
export async function insertJob(
  db: Queryable,
  job: { name: string; key: string; facts: string; mostTries: number },
): Promise<void> {
  await sql`
    with asked as (
      insert into work (name, key, facts, most_tries) values (${job.name}, ${job.key}, ${job.facts}::jsonb, ${job.mostTries})
      on conflict (name, key) do update set facts = excluded.facts, most_tries = excluded.most_tries, asks = work.asks + 1,
        due_at = now(), tries = 0, parked_at = null
      returning name)
    select pg_notify('work', name) from asked`.execute(db)
}

/** A job that comes again and again: its row is there from the first start on. */
export async function insertRecurring(
  client: pg.ClientBase,
  jobs: { name: string; pauseMs: number }[],
  key: string,
  mostTries: number,
): Promise<void> {
  await client.query(
    `insert into work (name, key, facts, most_tries, due_at)
     select name, $3, '{}', $4, now() + pause_ms * interval '1 ms' from unnest($1::text[], $2::float8[]) job (name, pause_ms)
     on conflict do nothing`,
    [jobs.map(({ name }) => name), jobs.map(({ pauseMs }) => pauseMs), key, mostTries],
  )
}

/** Leases jobs of these names that are due, the longest due first. */
export async function leaseJobs(
  client: Pick<pg.ClientBase, 'query'>,
  terms: LeaseTerms,
  of: { names: string[]; limit: number },
): Promise<LeasedJob[]> {
  const { rows } = await client.query<LeasedJob>({
    name: 'lease-jobs',
    text: `with living as materialized (${LIVING_WORKERS}), due as (
        select name, key from work
        where name = any($4) and parked_at is null and due_at <= now()
          and (lease_owner is null or lease_owner <> $1
            and (leased_at < $2 or lease_owner not in (select number from living)))
        order by due_at limit $5 for update skip locked
      )
      update work job set lease_owner = $1, leased_at = $3 from due where job.name = due.name and job.key = due.key
      returning job.name, job.key, job.facts, job.asks, job.tries, job.most_tries as "mostTries"`,
    values: [terms.number, terms.staleBefore, terms.now, of.names, of.limit],
  })
  return rows
}

/**
 * Records the results of jobs, except where the lease is lost. A job that was asked for again meanwhile waits to be done again, whatever
 * its result is.
 */
export async function recordJobs(
  client: Pick<pg.ClientBase, 'query'>,
  numbers: readonly number[],
  endings: JobEnding[],
): Promise<void> {
  const failures = endings.map((ending) => (ending.done ? null : ending))
  await client.query({
    name: 'record-jobs',
    text: `with ended as (
        select * from unnest($2::text[], $3::text[], $4::int[], $5::boolean[], $6::int[], $7::float8[], $8::text[])
          as t (name, key, asks, done, tries, pause_ms, fault)
      ), gone as (
        delete from work job using ended
        where job.name = ended.name and job.key = ended.key and job.lease_owner = any($1::int[])
          and ended.done and job.asks = ended.asks
      )
      update work job set lease_owner = null, leased_at = null, fault = ended.fault,
        tries = case when job.asks = ended.asks then ended.tries else job.tries end,
        due_at = case when job.asks = ended.asks then coalesce(now() + ended.pause_ms * interval '1 ms', job.due_at) else job.due_at end,
        parked_at = case when job.asks = ended.asks and ended.pause_ms is null then now() end
      from ended
      where job.name = ended.name and job.key = ended.key and job.lease_owner = any($1::int[])
        and not (ended.done and job.asks = ended.asks)`,
    values: [
      numbers,
      endings.map(({ name }) => name),
      endings.map(({ key }) => key),
      endings.map(({ asks }) => asks),
      endings.map(({ done }) => done),
      failures.map((failure) => failure?.tries ?? 0),
      failures.map((failure) => failure?.pauseMs ?? null),
      failures.map((failure) => failure?.fault ?? null),
    ],
  })
}
