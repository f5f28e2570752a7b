import type pg from 'pg'
import { LIVING_WORKERS } from '../../platform/database/living-workers.ts'
import type { DueRetry, Held, LeasedRange, RangeKey } from './range.ts'

export type LeaseTerms = {
  /** The worker that asks. */
  number: number
  now: Date
  /** Leases from before this instant belong to a worker that hangs. */
  staleBefore: Date
}

/** $1 asks; $2 is the limit of staleness. A worker never leases a range that it holds itself. */
const FREE = `(lease_owner is null or lease_owner <> $1
  and (leased_at < $2 or lease_owner not in (select number from living)))`

/** A mail waits so long for the receipt that it carries (ADR 0120). */
const RECEIPT_PATIENCE_MS = 2000
/** Events of so many traders that the record did not log in time show that it stands still: no mail waits for it. */
const MISSES = 3

/** A range may wait because the server refuses us. @param time in SQL */
function isDue(time: string): string {
  return `(channel = 'mail' and done_at is null and (held_until is null or held_until <= ${time}))`
}

function isRetryDue(time: string): string {
  return `(channel = 'mail' and state = 'retry' and retry_at <= ${time})`
}

/** In SQL, whether the record has not logged the event of `range`, which waits for it; $5 is the latest time of one that has waited long enough. */
const IS_UNLOGGED = `(
  exists (select from event_work unlogged
    where unlogged.trader_id = range.trader_id and unlogged.reader = 'record'
      and unlogged.event_no = range.event_no and unlogged.parked_at is null and unlogged.created_at > $5)
  and (select count(*) from (select distinct missed.trader_id from event_work missed
    where missed.reader = 'record' and missed.parked_at is null and missed.created_at <= $5
    limit ${MISSES}) late) < ${MISSES})`

/** @property unlogged whether there are ranges that wait for receipts of their mails */
export type NextRange = { range: LeasedRange | null; unlogged: boolean }

type LeaseRow = (LeasedRange | { [Column in keyof LeasedRange]: null }) & Pick<NextRange, 'unlogged'>

/**
 * Leases the next range, round-robin over events: the event with the fewest ranges under way, the oldest first.
 * @param idleEventsOnly leaves events alone of which any range is under way
 */
export async function leaseRange(
  client: pg.Client,
  terms: LeaseTerms,
  idleEventsOnly: boolean,
): Promise<NextRange> {
  const { rows } = await client.query<LeaseRow>({
    name: 'lease-range',
    text: `with living as materialized (${LIVING_WORKERS}), open as materialized (
        select range.*, ${IS_UNLOGGED} as unlogged
        from (
          select trader_id, event_no, count(*) filter (where not ${FREE}) as busy, min(created_at) as since
          from delivery_ranges where ${isDue('$3')}
          group by trader_id, event_no having count(*) filter (where ${FREE}) > 0
        ) range
      ), next as (
        select range.*
        from (
          select * from open where (busy = 0 or not $4) and not unlogged order by busy, since, trader_id, event_no limit 4
        ) event
        cross join lateral (
          select trader_id, event_no, from_mail_no, lease_owner from delivery_ranges
          where trader_id = event.trader_id and event_no = event.event_no and ${isDue('$3')} and ${FREE}
          order by from_mail_no limit 1 for update skip locked
        ) range
        order by event.busy, event.since limit 1
      ), leased as (
        update delivery_ranges range set lease_owner = $1, leased_at = $3 from next
        where range.trader_id = next.trader_id and range.event_no = next.event_no
          and range.channel = 'mail' and range.from_mail_no = next.from_mail_no
        returning range.trader_id as "traderId", range.event_no as "eventNo", range.from_mail_no as "from",
          range.to_mail_no as "to", range.progress_mail_no as progress, range.sent_count as sent,
          range.held_at as "heldAt", range.holds, range.created_at as "createdAt", next.lease_owner as "previousOwner"
      )
      select leased.*, exists (select from open where unlogged) as unlogged
      from (values (1)) always left join leased on true`,
    values: [
      terms.number,
      terms.staleBefore,
      terms.now,
      idleEventsOnly,
      new Date(terms.now.getTime() - RECEIPT_PATIENCE_MS),
    ],
  })
  const [row] = rows
  if (!row) return { range: null, unlogged: false }
  const { unlogged, ...range } = row
  return { range: range.traderId === null ? null : range, unlogged }
}

/** Leases retries whose time has come, the longest due first. */
export async function leaseRetries(client: pg.Client, terms: LeaseTerms, limit: number): Promise<DueRetry[]> {
  const { rows } = await client.query<DueRetry>({
    name: 'lease-retries',
    text: `with living as materialized (${LIVING_WORKERS}), due as (
        select trader_id, event_no, mail_no from delivery_exceptions
        where ${isRetryDue('$3')} and ${FREE}
        order by retry_at limit $4 for update skip locked
      )
      update delivery_exceptions retry set lease_owner = $1, leased_at = $3 from due
      where retry.trader_id = due.trader_id and retry.event_no = due.event_no and retry.channel = 'mail'
        and retry.mail_no = due.mail_no
      returning retry.trader_id as "traderId", retry.event_no as "eventNo", retry.mail_no as "mailNo", retry.tries,
        retry.refusals, retry.created_at as "createdAt"`,
    values: [terms.number, terms.staleBefore, terms.now, limit],
  })
  return rows
}

/** In SQL, whether anything may wait for a sender; a leased row counts too, since its worker may have died. @param at in SQL, when */
export function isDeliveryDue(at: string): string {
  return `(exists (select from delivery_ranges where ${isDue(at)}) or exists (select from delivery_exceptions where ${isRetryDue(at)}))`
}

/** Gives a range back unfinished, for any worker to take up where its progress ends. */
export async function releaseRange(client: pg.Client, number: number, range: RangeKey): Promise<void> {
  await client.query({
    name: 'release-range',
    text: `update delivery_ranges set lease_owner = null, leased_at = null
      where trader_id = $2 and event_no = $3 and channel = 'mail' and from_mail_no = $4 and lease_owner = $1`,
    values: [number, range.traderId, range.eventNo, range.from],
  })
}

export async function releaseRetries(client: pg.Client, number: number, retries: DueRetry[]): Promise<void> {
  await client.query({
    name: 'release-retries',
    text: `update delivery_exceptions retry set lease_owner = null, leased_at = null
      from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as held (trader_id, event_no, mail_no)
      where retry.trader_id = held.trader_id and retry.event_no = held.event_no
        and retry.channel = 'mail' and retry.mail_no = held.mail_no and retry.lease_owner = $1`,
    values: [
      number,
      retries.map(({ traderId }) => traderId),
      retries.map(({ eventNo }) => eventNo),
      retries.map(({ mailNo }) => mailNo),
    ],
  })
}

/**
 * Shows that this worker is alive, however slow its mail server: renews the time of the leases that it holds. Leases under its
 * number that it does not know of are left to expire.
 */
export async function renewLeases(client: pg.Client, number: number, held: Held, now: Date): Promise<void> {
  await client.query({
    name: 'renew-ranges',
    text: `update delivery_ranges range set leased_at = $2
      from unnest($3::uuid[], $4::bigint[], $5::bigint[]) as held (trader_id, event_no, from_mail_no)
      where range.trader_id = held.trader_id and range.event_no = held.event_no
        and range.channel = 'mail' and range.from_mail_no = held.from_mail_no and range.lease_owner = $1 and range.done_at is null`,
    values: [
      number,
      now,
      held.ranges.map(({ traderId }) => traderId),
      held.ranges.map(({ eventNo }) => eventNo),
      held.ranges.map(({ from }) => from),
    ],
  })
  await client.query({
    name: 'renew-retries',
    text: `update delivery_exceptions retry set leased_at = $2
      from unnest($3::uuid[], $4::bigint[], $5::bigint[]) as held (trader_id, event_no, mail_no)
      where retry.trader_id = held.trader_id and retry.event_no = held.event_no
        and retry.channel = 'mail' and retry.mail_no = held.mail_no and retry.lease_owner = $1 and retry.state = 'retry'`,
    values: [
      number,
      now,
      held.retries.map(({ traderId }) => traderId),
      held.retries.map(({ eventNo }) => eventNo),
      held.retries.map(({ mailNo }) => mailNo),
    ],
  })
}

/** How far a range has come that is leased under this number; null when it is not. */
export async function findProgress(
  client: pg.Client,
  number: number,
  range: RangeKey,
): Promise<number | null> {
  const { rows } = await client.query<{ progress: number }>({
    name: 'find-progress',
    text: `select progress_mail_no as progress from delivery_ranges
      where trader_id = $2 and event_no = $3 and channel = 'mail' and from_mail_no = $4 and lease_owner = $1`,
    values: [number, range.traderId, range.eventNo, range.from],
  })
  return rows[0]?.progress ?? null
}
