import { sql } from 'kysely'
import type pg from 'pg'
import { LIVING_WORKERS } from '../platform/database/living-workers.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { LeaseTerms, WorkTable } from './leases.queries.ts'

/**
 * A table whose rows hold the times at which they are due. Several rows may have the same key: they are one item of work.
 * @property key its columns with their types
 * @property dueAt column of the time (UTC); null in it where nothing is to be done
 * @property mayBeMadeDue in SQL, which rows may be made due before their time; all that have one unless given
 * @property keepsTimes whether others go by the same times and do the same work: a pause is in `leased_at` then, with no owner
 * @property longestPauseMs where each pause is twice as long as the one before, up to this; the column `tries` counts them then
 */
export type DueTable<Key extends string = string> = Omit<WorkTable, 'key'> & {
  key: Readonly<Record<Key, 'uuid' | 'text'>>
  dueAt: string
  mayBeMadeDue?: string
  keepsTimes?: boolean
  longestPauseMs?: number
}

/** @property key values of its columns, in their order @property due the time of its last row, in the database's words: they are exact */
export type DueItem = { key: string[]; due: string }

/** @property pauseMs until a row that is still due comes again */
export type DueEnding = DueItem & { pauseMs: number }

type Client = Pick<pg.ClientBase, 'query'>

/** The most by which the clocks of two machines may differ. */
const CLOCKS_APART = sql`interval '5 s'`

/**
 * Leases the due rows, the longest due first, and of each key all rows that are. A key with a row that a living worker has leased is left to it. Of
 * several workers at the same moment one gets a key: the one that locks its first row. Rows that others have locked are skipped. Rows that
 * have changed since the statement began have another place in the table by then, and are left for the next look.
 */
export async function leaseDue(
  client: Client,
  table: DueTable,
  { now, number, staleBefore }: LeaseTerms,
  limit: number,
): Promise<DueItem[]> {
  const { dueAt, name } = table
  const keys = keysOf(table)
  const { rows } = await client.query<DueItem>({
    name: `lease-${name}`,
    text: `with living as materialized (${LIVING_WORKERS}), due as (
        select ${keys} from ${name} first where ${dueAt} <= $1 and (lease_owner is not null or coalesce(leased_at, $1) <= $1)
          and not exists (select from ${name} other where ${same(table, 'other', 'first')} and (
            other.lease_owner = $2 or other.leased_at >= $3 and other.lease_owner in (select number from living)
            or other.${dueAt} <= $1 and (other.${dueAt}, other.ctid) < (first.${dueAt}, first.ctid)))
        order by ${dueAt} limit $4 for update skip locked
      ), free as (
        select waiting.ctid as place from ${name} waiting join due on ${same(table, 'waiting', 'due')}
        where waiting.${dueAt} <= $1 for update of waiting skip locked
      ), leased as (
        update ${name} taken set lease_owner = $2, leased_at = $1 from free where taken.ctid = free.place returning taken.*
      )
      select array[${castKeysOf(table)}] as key, max(${dueAt})::text as due from leased group by ${keys} order by max(${dueAt})`,
    values: [now, number, staleBefore, limit],
  })
  return rows
}

/**
 * Gives leases back, of those rows that are still leased by this worker. A row that is due since no later than when it was leased comes again
 * after a pause; a row that was made due meanwhile is due at once.
 */
export async function recordDue(
  client: Client,
  table: DueTable,
  endings: DueEnding[],
  { now, numbers }: { now: Date; numbers: readonly number[] },
): Promise<void> {
  const { dueAt, keepsTimes, longestPauseMs, name } = table
  const types = Object.values(table.key)
  const lists = types.map((type, nth) => `$${nth + 5}::${type}[]`)
  const grown = longestPauseMs && `least(ended.pause_ms * 2 ^ least(given.tries, 30), ${longestPauseMs})`
  const next = `$2::timestamptz + interval '1 ms' * ${grown ?? 'ended.pause_ms'}`
  const isStillDue = `coalesce(given.${dueAt} <= ended.due, false)`
  await client.query({
    name: `record-${name}`,
    text: `update ${name} given set lease_owner = null,
        ${longestPauseMs ? `tries = given.tries + (${isStillDue})::int,` : ''}
        leased_at = case when ${isStillDue} and ${keepsTimes ?? false} then ${next} end,
        ${dueAt} = case when ${isStillDue} and not ${keepsTimes ?? false} then ${next} else given.${dueAt} end
      from unnest($3::timestamptz[], $4::float8[], ${lists.join(', ')}) as ended (due, pause_ms, ${keysOf(table)})
      where ${same(table, 'given', 'ended')} and given.lease_owner = any($1::int[])`,
    values: [
      numbers,
      now,
      endings.map(({ due }) => due),
      endings.map(({ pauseMs }) => pauseMs),
      ...types.map((_, nth) => endings.map(({ key }) => key[nth])),
    ],
  })
}

/** Makes a row due at once where it may be, and wakes the workers when the transaction commits. @param key as `DueItem`'s */
export async function makeDue(db: Queryable, table: DueTable, key: string[], now: Date): Promise<void> {
  const columns = Object.entries(table.key)
  const isMeant = columns.map(
    ([column, type], nth) => sql`${sql.ref(column)} = ${key[nth]}::${sql.raw(type)}`,
  )
  await sql`
    with due as (
      update ${sql.table(table.name)} set ${setDue(table, now)}
      where ${sql.join(isMeant, sql` and `)} and ${mayBeMadeDue(table)} returning 1)
    select pg_notify('work', ${table.name}) from due limit 1`.execute(db)
}

/** For a database that was restored: no worker that it knows of lives, and numbers may be given a second time. */
export async function giveAllLeasesBack(tx: Queryable, { name }: DueTable): Promise<void> {
  await sql`update ${sql.table(name)} set lease_owner = null, leased_at = null where lease_owner is not null`.execute(
    tx,
  )
}

function mayBeMadeDue({ dueAt, mayBeMadeDue = `${dueAt} is not null` }: DueTable) {
  return sql.raw(mayBeMadeDue)
}

/** A row in hand is due later than it was when it was leased, also by a clock that is a little behind or in the same millisecond. */
function setDue({ dueAt, longestPauseMs }: DueTable, now: Date) {
  const column = sql.ref(dueAt)
  const after = sql`least(greatest(${now}::timestamptz, ${column} + interval '1 ms'), ${now}::timestamptz + ${CLOCKS_APART})`
  const due = sql`case when lease_owner is null then ${now}::timestamptz else ${after} end`
  return sql`${column} = ${due}${sql.raw(longestPauseMs ? ', tries = 0' : '')}`
}

function keysOf({ key }: DueTable): string {
  return Object.keys(key).join(', ')
}

function castKeysOf({ key }: DueTable): string {
  return Object.keys(key)
    .map((column) => `${column}::text`)
    .join(', ')
}

function same({ key }: DueTable, one: string, other: string): string {
  return Object.keys(key)
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(' and ')
}
