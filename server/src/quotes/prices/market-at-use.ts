import { isBetterThanMarket, PRICE_STANDS_SECONDS } from '@tradepost/contract/price-moved'
import { DAY_MS } from '@tradepost/contract/trading-day'
import type { Queryable } from '../../platform/database/queryable.ts'
import { Refusal, refusal } from '../../platform/http/refusal.ts'
import { sha256 } from '../../platform/ids.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Quote } from '../provider/provider.ts'
import { isOlder, issueKey } from './issue-key.ts'
import { askPlausible } from './judge-price.ts'
import type { PriceSource } from './price-source.ts'
import { findLiveKey, type RedeemedPreview } from './quotes.queries.ts'

/** A check counts as one of a row, out of which somebody chooses, for so long after an earlier one, of whatever ticker, that was not used. */
const CHECKS_IN_A_ROW_MS = DAY_MS

type MarketDeps = { db: Queryable; pipelined: Queryable; prices: PriceSource; settings: Settings }
type HeldKey = { traderId: string; symbol: string; key: string }

/** The market's price where a held one is used; `not asked` for a price that stands, or a key that is none; `suspect`: it looks wrong. */
export type MarketAtUse = Quote | 'not asked' | 'no answer' | 'suspect'

/** Thrown in the transaction that would have recorded a price which the market has left behind. */
class PriceMoved extends Error {
  readonly quote: Quote

  constructor(quote: Quote) {
    super('the price has moved')
    this.quote = quote
  }
}

/**
 * Asks the market before a held price is recorded (ADR 0075), unless the price was checked within the last five seconds and not
 * as one of several checks in a row. Waits for the provider, so it is called before the transaction.
 */
export async function askMarketAtUse(deps: MarketDeps, held: HeldKey, now: Date): Promise<MarketAtUse> {
  const key = { traderId: held.traderId, keySha256: sha256(held.key), symbol: held.symbol }
  const inARowSince = new Date(now.getTime() - CHECKS_IN_A_ROW_MS)
  const live = await findLiveKey(deps.pipelined, key, { now, inARowSince })
  // The transaction refuses an invalid key, with the reason.
  if (!live || standsUnasked(live, now)) return 'not asked'
  try {
    const judged = await askPlausible(deps, held, () => deps.prices.quote(held.symbol, held.traderId), now)
    return judged.suspect ? 'suspect' : judged.quote
  } catch (error) {
    if (error instanceof Refusal) return 'no answer'
    throw error
  }
}

/** Whether a checked price is recorded without a look at the market: soon after a check that is none of a row. */
export function standsUnasked(live: { checkedAt: Date; inARow: boolean }, now: Date): boolean {
  return !live.inARow && secondsBetween(live.checkedAt, now) <= PRICE_STANDS_SECONDS
}

/** Ends the transaction where the market has left the held price behind in the trader's favour; `offerNewPrice` then answers. */
export function requireStanding(use: 'open' | 'close', preview: RedeemedPreview, market: MarketAtUse): void {
  if (typeof market === 'string') return
  if (isBetterThanMarket(use, preview.price, market.price)) throw new PriceMoved(market)
}

/**
 * Whether a price is too old to open at, by the time of its last trade, at the check or now (rule G-45): the hours of the
 * specification know no holidays.
 */
export function isStale(
  preview: RedeemedPreview,
  market: MarketAtUse,
  { now, maxAgeSeconds }: { now: Date; maxAgeSeconds: number },
): boolean {
  const newest = typeof market === 'string' ? preview.quotedAt : market.at
  return isOlder(preview.quotedAt, maxAgeSeconds, preview.checkedAt) || isOlder(newest, maxAgeSeconds, now)
}

/**
 * Runs what records a held price. Where that has moved it issues a key for the new one, so that the same press works the next time.
 * @throws `price_moved`, with the new price and its key in the answer
 */
export async function offerNewPrice<T>(
  deps: MarketDeps,
  held: Pick<HeldKey, 'traderId' | 'symbol'>,
  now: Date,
  record: () => Promise<T>,
): Promise<T> {
  try {
    return await record()
  } catch (error) {
    if (!(error instanceof PriceMoved)) throw error
    throw refusal('price_moved', { beside: await issueKey(deps, { ...held, quote: error.quote }, now) })
  }
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000
}
