import { type Queryable, withTransaction } from '../platform/database.ts'
import { bumpDirectory, keepFormerNames, lockDirectory, upsertSymbols } from './directory.queries.ts'
import type { Directory, DirectoryNow } from './directory.ts'
import { ordinaryCapitals } from './ordinary-capitals.ts'
import type { PriceSource } from './price-source.ts'

/**
 * Asks the provider for the company of a ticker that its list does not hold, at each check of its price: a new share, or a provider without
 * a list. A help alone: a failure leaves the name as it is. Where there is a list it stays as the provider writes it until that holds it:
 * until then these letters alone say which company is meant.
 * @param symbol in the directory's spelling
 */
export async function learnName(
  deps: { db: Queryable; prices: PriceSource; directory: Directory },
  known: DirectoryNow,
  symbol: string,
  now: Date,
): Promise<void> {
  if (known.lists(symbol)) return
  const found = await deps.prices.nameOf(symbol)
  if (found === null) return
  const name = known.isEmpty ? ordinaryCapitals(found) : found
  const before = known.nameOf(symbol, null)
  if (name === before) return
  await withTransaction(deps.db, async (tx) => {
    await lockDirectory(tx)
    const version = await bumpDirectory(tx)
    if (before?.toLowerCase() !== name.toLowerCase()) await keepFormerNames(tx, [symbol], { version, now })
    await upsertSymbols(tx, [{ symbol, name, figi: null }], { listed: false, since: null, version })
  })
  deps.directory.changed()
}
