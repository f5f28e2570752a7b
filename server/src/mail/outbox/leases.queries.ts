import type pg from 'pg'
import { LIVING_WORKERS } from '../../platform/database/living-workers.ts'
import type { LeaseTerms, WorkTable } from '../../work/leases.queries.ts'

export const OUTBOX: WorkTable = { name: 'outbox', key: { id: 'uuid' } }

/** A mail that a worker has in hand. */
export type LeasedMail = {
  id: string
  kind: string
  userId: string | null
  facts: unknown
  /** Earlier ones. */
  tries: number
  expiresAt: Date
  /** The window in which it has a place among the limited mails; null for others, and when it gave its place back. */
  placeIn: Date | null
}

/** How a try ended. @property endedAs null for another try at `dueAt` @property fault in words that quote nobody */
export type Ending = {
  id: string
  endedAs: 'sent' | 'unneeded' | 'refused' | 'given up' | null
  dueAt: Date | null
  fault: string | null
}

type Client = Pick<pg.ClientBase, 'query'>

/** Leases the mails of a lane that are due, the longest due first: mails that nobody has leased, or whose worker is dead or hangs. */
export async function leaseMails(
  client: Client,
  terms: LeaseTerms,
  of: { lane: string; limit: number },
): Promise<LeasedMail[]> {
  const { rows } = await client.query<LeasedMail>({
    name: 'lease-mails',
    text: `with living as materialized (${LIVING_WORKERS}), due as (
        select id from outbox
        where lane = $4 and ended_at is null and due_at <= $3
          and (lease_owner is null or lease_owner <> $1
            and (leased_at < $2 or lease_owner not in (select number from living)))
        order by due_at limit $5 for update skip locked
      )
      update outbox mail set lease_owner = $1, leased_at = $3 from due where mail.id = due.id
      returning mail.id, mail.kind, mail.user_id as "userId", mail.facts, mail.tries, mail.expires_at as "expiresAt",
        mail.place_in as "placeIn"`,
    values: [terms.number, terms.staleBefore, terms.now, of.lane, of.limit],
  })
  return rows
}

/** Gives places to mails that gave theirs back when an earlier try failed; they were granted once and do not ask. */
export async function takePlaces(
  client: Client,
  ids: string[],
  window: { key: string; start: Date; end: Date },
): Promise<void> {
  await client.query({
    name: 'take-places',
    text: `with placed as (
        update outbox set place_in = $3 where id = any($1::uuid[]) and place_in is null returning id
      )
      insert into rate_limits (key, window_start, count, expires_at)
      select $2, $3, count(*), $4 from placed having count(*) > 0
      on conflict (key, window_start) do update set count = rate_limits.count + excluded.count`,
    values: [ids, window.key, window.start, window.end],
  })
}

/**
 * Records how tries ended; skips mails that another worker has leased meanwhile, or that are recorded. A mail that has
 * not gone gives its place back.
 * @param numbers under which this process has leased them
 * @param key of the limited mails in `rate_limits`
 */
export async function recordEndings(
  client: Client,
  numbers: readonly number[],
  endings: Ending[],
  { now, key }: { now: Date; key: string },
): Promise<void> {
  await client.query({
    name: 'record-endings',
    text: `with ending as (
        select * from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[]) as t (id, ended_as, due_at, fault)
      ), held as (
        select mail.id, mail.place_in from outbox mail join ending using (id)
        where mail.lease_owner = any($1::int[]) and mail.ended_at is null order by mail.id for update of mail
      ), recorded as (
        update outbox mail set lease_owner = null, leased_at = null, place_in = null, tries = mail.tries + 1,
          fault = ending.fault, ended_as = ending.ended_as, due_at = coalesce(ending.due_at, mail.due_at),
          ended_at = case when ending.ended_as is not null then $6::timestamptz end
        from ending join held using (id) where mail.id = ending.id
      ), back as (
        select held.place_in, count(*)::int as places from held join ending using (id)
        where held.place_in is not null and ending.ended_as is distinct from 'sent' group by held.place_in
      )
      update rate_limits counted set count = greatest(counted.count - back.places, 0) from back
      where counted.key = $7 and counted.window_start = back.place_in`,
    values: [
      numbers,
      endings.map(({ id }) => id),
      endings.map(({ endedAs }) => endedAs),
      endings.map(({ dueAt }) => dueAt),
      endings.map(({ fault }) => fault),
      now,
      key,
    ],
  })
}
