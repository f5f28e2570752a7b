import type { Queryable } from '../platform/database.ts'
import { findCompanyName } from './company-names.queries.ts'
import type { PriceSource } from './price-source.ts'

/**
 * Asks the provider for the name of a ticker that has none yet; a ticker is asked for until its name is known, then never
 * again. A help alone: a failure is no name.
 * @param symbol a ticker as `normaliseSymbol` returns it
 * @returns null when the name is kept already, or the provider does not give one
 */
export async function lookUpCompany(
  deps: { db: Queryable; prices: PriceSource },
  symbol: string,
): Promise<string | null> {
  if ((await findCompanyName(deps.db, symbol)) !== null) return null
  const found = await deps.prices.search(symbol.toLowerCase()).catch(() => [])
  return found.find((company) => company.symbol === symbol)?.name ?? null
}
