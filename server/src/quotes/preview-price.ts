import type { PricePreview } from '@tradepost/contract/quotes'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import { requireUsername } from '../accounts/require-username.ts'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { newId, newSecret, sha256 } from '../platform/ids.ts'
import { takeFromLimit } from '../platform/rate-limit.ts'
import type { Settings } from '../platform/settings.ts'
import { insertCompanyName } from './company-names.queries.ts'
import { lookUpCompany } from './look-up-company.ts'
import type { PriceSource } from './price-source.ts'
import { insertPreview } from './quotes.queries.ts'

const KEY_BYTES = 32
const PREVIEWS_PER_MINUTE_AND_ACCOUNT = 30

export type QuotesDeps = { db: Queryable; pipelined: Queryable; prices: PriceSource; settings: Settings }

/**
 * Asks a price and ties it to a key that opens or closes one position at it (decision G-09). Possible at any hour. Keeps the
 * company's name beside, so that opening never waits for the provider.
 * @param ticker as typed
 * @throws `symbol_required`, `symbol_invalid`, `username_required`, `rate_limited`, `symbol_not_found`, `price_unavailable`
 */
export async function previewPrice(
  deps: QuotesDeps,
  caller: Caller,
  ticker: string,
  now: Date,
): Promise<PricePreview> {
  const symbol = normaliseSymbol(ticker)
  const refused = checkSymbol(symbol)
  if (refused) throw refusal(refused)
  await requireUsername(deps.pipelined, caller.userId)
  if (deps.settings.limitsOn) {
    const limit = {
      key: `preview:${caller.userId}`,
      max: PREVIEWS_PER_MINUTE_AND_ACCOUNT,
      windowSeconds: 60,
    }
    await takeFromLimit(deps.db, limit, now)
  }
  const [quote, name] = await Promise.all([
    deps.prices.quote(symbol),
    lookUpCompany({ db: deps.pipelined, prices: deps.prices }, symbol),
  ])
  if (name !== null) await insertCompanyName(deps.db, symbol, name)
  const key = newSecret(KEY_BYTES)
  const expiresInSeconds = deps.settings.previewTtlSeconds
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000)
  await insertPreview(deps.db, {
    id: newId(),
    traderId: caller.userId,
    keySha256: sha256(key),
    symbol,
    price: quote.price,
    quotedAt: quote.at,
    createdAt: now,
    expiresAt,
  })
  return { price: quote.price, key, symbol, expiresAt: expiresAt.toISOString(), expiresInSeconds }
}
