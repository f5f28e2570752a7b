import type { PricePreview } from '@tradepost/contract/quotes'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { newId, newSecret, sha256 } from '../../platform/ids.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Quote } from '../provider/provider.ts'
import { endOtherKeys, insertPreview, lockKeysOf } from './quotes.queries.ts'

const KEY_BYTES = 32

/** `suspect`: the price is the last plausible one, so that a close at it is unsettled. */
type KeyFor = { traderId: string; symbol: string; quote: Pick<Quote, 'price' | 'at'>; suspect?: boolean }

/**
 * Ties a price to a key that opens or closes one position at it (rule G-09 and ADR 0075). The trader's earlier key for the ticker ends,
 * and so does the oldest of those for other tickers where there would be more than three.
 */
export async function issueKey(
  { db, settings }: { db: Queryable; settings: Settings },
  { traderId, symbol, quote, suspect = false }: KeyFor,
  now: Date,
): Promise<PricePreview> {
  const key = newSecret(KEY_BYTES)
  const expiresInSeconds = settings.previewTtlSeconds
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000)
  await withTransaction(db, async (tx) => {
    await lockKeysOf(tx, traderId)
    await endOtherKeys(tx, { traderId, symbol }, now)
    await insertPreview(tx, {
      id: newId(),
      traderId,
      keySha256: sha256(key),
      symbol,
      price: quote.price,
      quotedAt: quote.at,
      createdAt: now,
      expiresAt,
      suspect,
    })
  })
  const isOld = settings.marketOverride === null && isOlder(quote.at, settings.quoteMaxAgeSeconds, now)
  return {
    price: quote.price,
    key,
    symbol,
    expiresAt: expiresAt.toISOString(),
    expiresInSeconds,
    tradedAt: quote.at.toISOString(),
    ...((isOld || suspect) && { settled: false as const }),
  }
}

/** Whether a trade was longer before an instant than a price may be old. */
export function isOlder(tradedAt: Date, maxAgeSeconds: number, at: Date): boolean {
  return at.getTime() - tradedAt.getTime() > maxAgeSeconds * 1000
}
