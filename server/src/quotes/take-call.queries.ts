import { symbolSpellings } from '@tradepost/contract/symbol'
import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'
import type { Pool, Used } from './share-calls.ts'

/** A second more than a minute, since a call takes a while to arrive. */
const MINUTE = sql`interval '61 seconds'`

/** Until the transaction ends, nobody else takes a call. */
export async function lockCalls(tx: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('calls to the price provider', 0))`.execute(tx)
}

/** Calls of the last minute; a clock that was set back keeps nobody from asking. @param personId null for nobody */
export async function countCalls(tx: Queryable, personId: string | null, now: Date): Promise<Used> {
  const [used] = await selectUsed(tx, { now, personId })
  if (!used) throw new Error('a count without a row')
  return used
}

const selectUsed = compiledQuery(
  (_db, { now, personId }: { now: Date; personId: string | null }) => sql<Used>`
    with gone as (
      delete from provider_calls
      where asked_at <= ${now}::timestamptz - ${MINUTE} or asked_at > ${now}::timestamptz + ${MINUTE}
    )
    select count(*) filter (where pool = 'closes')::int as closes,
      count(*) filter (where pool = 'closes' and person_id is null)::int as settlements,
      count(*) filter (where pool = 'followed')::int as followed,
      count(*) filter (where pool = 'others')::int as others,
      count(*) filter (where pool = 'others' and asked_at > ${now}::timestamptz - interval '15 seconds')::int as "othersLately",
      count(*) filter (where pool = 'closes' and person_id = ${personId}::uuid)::int as "ownCloses",
      count(*) filter (where pool = 'followed' and person_id = ${personId}::uuid)::int as "ownFollowed",
      count(*) filter (where pool = 'others' and person_id = ${personId}::uuid)::int as "ownOthers"
    from provider_calls
    where asked_at > ${now}::timestamptz - ${MINUTE} and asked_at <= ${now}::timestamptz + ${MINUTE}`,
)

export async function insertCall(
  tx: Queryable,
  call: { pool: Pool; personId: string | null },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('provider_calls')
    .values({ asked_at: now, pool: call.pool, person_id: call.personId })
    .execute()
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
