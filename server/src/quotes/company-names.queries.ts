import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'

/** @returns null when it is not known */
export async function findCompanyName(db: Queryable, symbol: string): Promise<string | null> {
  const [row] = await selectCompanyName(db, { symbol })
  return row?.name ?? null
}

const selectCompanyName = compiledQuery((db, { symbol }: { symbol: string }) =>
  db.selectFrom('symbols').select('name').where('symbol', '=', symbol),
)

/** Of two that learn a name at once, the first is kept. */
export async function insertCompanyName(db: Queryable, symbol: string, name: string): Promise<void> {
  await db
    .insertInto('symbols')
    .values({ symbol, name })
    .onConflict((conflict) => conflict.column('symbol').doNothing())
    .execute()
}
