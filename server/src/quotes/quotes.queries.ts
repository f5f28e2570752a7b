import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'

export type NewPreview = {
  id: string
  traderId: string
  keySha256: Buffer
  symbol: string
  price: string
  quotedAt: Date
  createdAt: Date
  expiresAt: Date
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
  }),
)

type KeyOfPreview = { traderId: string; keySha256: Buffer; symbol: string }

/** Uses a live key up: of two that try at once, one gets the row and the other, after the first commits, nothing. */
export async function consumePreview(
  db: Queryable,
  key: KeyOfPreview,
  now: Date,
): Promise<{ id: string; price: string; quotedAt: Date } | null> {
  const [row] = await updateConsumed(db, { ...key, now })
  return row ? { id: row.id, price: row.price, quotedAt: row.quoted_at } : null
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
    .returning(['id', 'price', 'quoted_at']),
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
