import { sql } from 'kysely'
import { compiledQuery } from '../platform/compiled-query.ts'
import type { Queryable } from '../platform/database.ts'

/** @returns null when it is not known */
export async function findCompanyName(db: Queryable, symbol: string): Promise<string | null> {
  return (await listCompanyNames(db, [symbol])).get(symbol) ?? null
}

/** @returns those that are known, by symbol */
export async function listCompanyNames(db: Queryable, symbols: string[]): Promise<Map<string, string>> {
  const rows = await selectCompanyNames(db, { symbols })
  return new Map(rows.map(({ name, symbol }) => [symbol, name]))
}

const selectCompanyNames = compiledQuery(
  (_db, { symbols }: { symbols: string[] }) => sql<{ symbol: string; name: string }>`
    select symbol, name from symbols where symbol = any(${symbols}::text[])`,
)

/** Of two that learn a name at once, the first is kept. */
export async function insertCompanyName(db: Queryable, symbol: string, name: string): Promise<void> {
  await db
    .insertInto('symbols')
    .values({ symbol, name })
    .onConflict((conflict) => conflict.column('symbol').doNothing())
    .execute()
}
