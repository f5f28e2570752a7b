import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import { audit } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { acceptSuspect } from './suspect-prices.queries.ts'

/**
 * Accepts the price of a symbol that looks wrong, for an operator (ADR 0076).
 * @returns the price, decimal text in US dollars; null where none looks wrong
 * @throws for anything but a ticker
 */
export async function acceptPrice(
  deps: { db: Queryable; secret: SecretKey },
  given: string,
  now: Date,
): Promise<string | null> {
  const symbol = normaliseSymbol(given)
  if (checkSymbol(symbol)) throw new Error('That is not a ticker.')
  return withTransaction(deps.db, async (tx) => {
    const price = await acceptSuspect(tx, symbol, now)
    if (price !== null)
      await audit(deps, tx, { action: 'price_accepted', detail: `${symbol} ${price} by operator` }, now)
    return price
  })
}
