import { symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { Pool, Used } from './share-calls.ts'

/** A second more than a minute, since a call takes a while to arrive. */
const MINUTE = sql`interval '61 seconds'`

/** Until the transaction ends, nobody else takes a call. */
export async function lockCalls(tx: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('calls to the price provider', 0))`.execute(tx)
}

/** Calls of the last minute, with those that are taken under the same lock. */
export type UsedCalls = {
  /** @param personId null for nobody */
  by(personId: string | null): Used
  add(pool: Pool, personId: string | null): void
}

/**
 * Counts the calls of the last minute; a clock that was set back keeps nobody from asking. @param asked callers whose own calls are counted
 * too
 */
export async function countCalls(
  tx: Queryable,
  asked: readonly { personId: string | null }[],
  now: Date,
): Promise<UsedCalls> {
  const personIds = asked.flatMap(({ personId }) => personId ?? [])
  const used = await selectUsed(tx, { now, personIds })
  const sum = (wanted: (calls: UsedRow) => boolean, of: 'calls' | 'lately' = 'calls') =>
    used.filter(wanted).reduce((total, row) => total + row[of], 0)
  return {
    by: (personId) => ({
      closes: sum(({ pool }) => pool === 'closes'),
      settlements: sum(({ isNobodys, pool }) => pool === 'closes' && isNobodys),
      followed: sum(({ pool }) => pool === 'followed'),
      others: sum(({ pool }) => pool === 'others'),
      othersLately: sum(({ pool }) => pool === 'others', 'lately'),
      ownCloses: sum((row) => row.pool === 'closes' && isOwn(row, personId)),
      ownFollowed: sum((row) => row.pool === 'followed' && isOwn(row, personId)),
      ownOthers: sum((row) => row.pool === 'others' && isOwn(row, personId)),
    }),
    add(pool, personId) {
      used.push({ pool, personId, isNobodys: personId === null, calls: 1, lately: 1 })
    },
  }
}

const isOwn = (row: UsedRow, personId: string | null) => personId !== null && row.personId === personId

/** `personId`: null for nobody, and for those who do not ask now. `lately`: within the last 15 s. */
type UsedRow = { pool: Pool; personId: string | null; isNobodys: boolean; calls: number; lately: number }

const selectUsed = compiledQuery(
  (_db, { now, personIds }: { now: Date; personIds: string[] }) => sql<UsedRow>`
    with gone as (
      delete from provider_calls
      where asked_at <= ${now}::timestamptz - ${MINUTE} or asked_at > ${now}::timestamptz + ${MINUTE}
    )
    select pool, case when person_id = any(${personIds}::uuid[]) then person_id end as "personId",
      person_id is null as "isNobodys", count(*)::int as calls,
      count(*) filter (where asked_at > ${now}::timestamptz - interval '15 seconds')::int as lately
    from provider_calls
    where asked_at > ${now}::timestamptz - ${MINUTE} and asked_at <= ${now}::timestamptz + ${MINUTE}
    group by 1, 2, 3`,
)

/** Writes the calls that were taken. */
export async function insertCalls(
  tx: Queryable,
  asked: readonly { pool: Pool | null; personId: string | null }[],
  now: Date,
): Promise<void> {
  const taken = asked.flatMap(({ personId, pool }) =>
    pool === null ? [] : { asked_at: now, pool, person_id: personId },
  )
  if (taken.length > 0) await tx.insertInto('provider_calls').values(taken).execute()
}

/** Whether a person holds a ticker, in whichever spelling. */
export async function holdsSymbol(
  db: Queryable,
  { personId, symbol }: { personId: string; symbol: string },
): Promise<boolean> {
  return (await selectHeld(db, { personId, spellings: symbolSpellings(symbol) })).length > 0
}

const selectHeld = compiledQuery((db, { personId, spellings }: { personId: string; spellings: string[] }) =>
  db
    .selectFrom('positions')
    .select('id')
    .where('trader_id', '=', personId)
    .where('symbol', '=', sql<string>`any(${spellings}::text[])`)
    .where('closed_at', 'is', null),
)

/** Whether somebody follows a trader. */
export async function isFollowed(db: Queryable, traderId: string): Promise<boolean> {
  return (await selectFollower(db, { traderId })).length > 0
}

const selectFollower = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('subscriptions')
    .select('trader_id')
    .where('trader_id', '=', traderId)
    .where('entitled_from_event', 'is not', null)
    .where('entitled_until_event', 'is', null)
    .limit(1),
)

/** How many traders have followers. */
export async function countTradersFollowed(db: Queryable): Promise<number> {
  const [row] = await selectTradersFollowed(db, {})
  return row?.traders ?? 0
}

const selectTradersFollowed = compiledQuery(
  () => sql<{ traders: number }>`
    select count(distinct trader_id)::int as traders from subscriptions
    where entitled_from_event is not null and entitled_until_event is null`,
)
