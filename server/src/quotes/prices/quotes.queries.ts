import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

export type NewPreview = {
  id: string
  traderId: string
  keySha256: Buffer
  symbol: string
  price: string
  quotedAt: Date
  createdAt: Date
  expiresAt: Date
  /** The provider quotes another price, which looks wrong; this is the last one that did not. */
  suspect: boolean
}

export async function insertPreview(db: Queryable, preview: NewPreview): Promise<void> {
  await insertPreviewRow(db, preview)
}

const insertPreviewRow = compiledQuery((db, preview: NewPreview) =>
  db.insertInto('price_previews').values({
    trader_id: preview.traderId,
    id: preview.id,
    key_sha256: preview.keySha256,
    symbol: preview.symbol,
    price: preview.price,
    quoted_at: preview.quotedAt,
    created_at: preview.createdAt,
    expires_at: preview.expiresAt,
    suspect: preview.suspect,
  }),
)

/** Until the transaction ends, nobody else issues a key of this trader. */
export async function lockKeysOf(tx: Queryable, traderId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`price keys of ${traderId}`}, 0))`.execute(tx)
}

/** Tickers of which a trader has a key, beside the one that is checked. */
const OTHER_TICKERS_MAX_COUNT = 2

/** Ends the trader's live keys that a new one for `symbol` leaves no room for. */
export async function endOtherKeys(
  tx: Queryable,
  { traderId, symbol }: { traderId: string; symbol: string },
  now: Date,
): Promise<void> {
  await endKeys(tx, { traderId, symbol, now })
}

const endKeys = compiledQuery((db, key: { traderId: string; symbol: string; now: Date }) =>
  db
    .updateTable('price_previews')
    .set({ expires_at: key.now })
    .where('trader_id', '=', key.traderId)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', key.now)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('price_previews')
        .select('id')
        .where('trader_id', '=', key.traderId)
        .where('symbol', '<>', key.symbol)
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', key.now)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(sql.lit(OTHER_TICKERS_MAX_COUNT)),
    ),
)

/**
 * A live key, looked at before it is used.
 * @returns `inARow`: the trader has another key, for whatever ticker, that was issued after `inARowSince` and not used
 */
export async function findLiveKey(
  db: Queryable,
  key: KeyOfPreview,
  when: { now: Date; inARowSince: Date },
): Promise<{ checkedAt: Date; inARow: boolean } | null> {
  const [row] = await selectLiveKey(db, { ...key, ...when })
  return row ?? null
}

const selectLiveKey = compiledQuery((db, key: KeyOfPreview & { now: Date; inARowSince: Date }) =>
  db
    .selectFrom('price_previews as held')
    .select((eb) => [
      'held.created_at as checkedAt',
      eb
        .exists(
          eb
            .selectFrom('price_previews as earlier')
            .select('earlier.id')
            .where('earlier.trader_id', '=', key.traderId)
            .where('earlier.consumed_at', 'is', null)
            .where('earlier.created_at', '>', key.inARowSince)
            .whereRef('earlier.id', '<>', 'held.id'),
        )
        .$castTo<boolean>()
        .as('inARow'),
    ])
    .where('held.trader_id', '=', key.traderId)
    .where('held.key_sha256', '=', key.keySha256)
    .where('held.symbol', '=', key.symbol)
    .where('held.consumed_at', 'is', null)
    .where('held.expires_at', '>', key.now),
)

type KeyOfPreview = { traderId: string; keySha256: Buffer; symbol: string }

export type RedeemedPreview = {
  id: string
  /** Decimal text, US dollars. */
  price: string
  /** Of the last trade. */
  quotedAt: Date
  checkedAt: Date
  suspect: boolean
}

/** Uses a live key up: of two that try at once, one gets the row and the other, after the first commits, nothing. */
export async function consumePreview(
  db: Queryable,
  key: KeyOfPreview,
  now: Date,
): Promise<RedeemedPreview | null> {
  const [row] = await updateConsumed(db, { ...key, now })
  return row
    ? {
        id: row.id,
        price: row.price,
        quotedAt: row.quoted_at,
        checkedAt: row.created_at,
        suspect: row.suspect,
      }
    : null
}

const updateConsumed = compiledQuery((db, key: KeyOfPreview & { now: Date }) =>
  db
    .updateTable('price_previews')
    .set({ consumed_at: key.now })
    .where('trader_id', '=', key.traderId)
    .where('key_sha256', '=', key.keySha256)
    .where('symbol', '=', key.symbol)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', key.now)
    .returning(['id', 'price', 'quoted_at', 'created_at', 'suspect']),
)

/** Uses keys up whose prices are of positions already. @param ids of previews */
export async function consumePreviews(
  tx: Queryable,
  { ids, traderId }: { traderId: string; ids: string[] },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('price_previews')
    .set({ consumed_at: now })
    .where('trader_id', '=', traderId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('consumed_at', 'is', null)
    .execute()
}

/** Why a key could not be used: null when this trader has no such key for this symbol. */
export async function findPreviewState(
  db: Queryable,
  key: KeyOfPreview,
): Promise<{ consumed: boolean } | null> {
  const row = await db
    .selectFrom('price_previews')
    .select('consumed_at')
    .where('trader_id', '=', key.traderId)
    .where('key_sha256', '=', key.keySha256)
    .where('symbol', '=', key.symbol)
    .executeTakeFirst()
  return row ? { consumed: row.consumed_at !== null } : null
}

/** @returns how many were deleted, `limit` at most */
export async function deletePreviews(db: Queryable, expiredBefore: Date, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('price_previews')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('trader_id', 'id'),
        'in',
        selectFrom('price_previews')
          .select(['trader_id', 'id'])
          .where('expires_at', '<', expiredBefore)
          .limit(limit)
          .$asTuple('trader_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
