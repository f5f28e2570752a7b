import { readableName } from '@tradepost/contract/company-name'
import type { PricePreview } from '@tradepost/contract/quotes'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import { requireUsername } from '../../accounts/require-username.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { Refusal, refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { takeFromLimit } from '../../platform/rate-limit.ts'
import type { Settings } from '../../platform/settings.ts'
import { bumpDirectory, keepFormerNames, lockDirectory, upsertSymbols } from '../symbols/directory.queries.ts'
import type { Directory, DirectoryNow } from '../symbols/directory.ts'
import { issueKey } from './issue-key.ts'
import { askPlausible } from './judge-price.ts'
import type { PriceSource } from './price-source.ts'
import { findLastPrice } from './suspect-prices.queries.ts'

const PREVIEWS_PER_MINUTE_AND_ACCOUNT = 30

export type QuotesDeps = {
  db: Queryable
  pipelined: Queryable
  directory: Directory
  prices: PriceSource
  settings: Settings
}

/**
 * Asks a price and ties it to a key that opens or closes one position at it (rule G-09). Possible at any hour. Keeps the
 * company's name beside, so that opening never waits for the provider.
 * @param ticker as typed
 * @throws `symbol_required`, `symbol_invalid`, `username_required`, `rate_limited`, and `symbol_not_found`, `price_unavailable`,
 *   `price_suspect`: these bring holders of the symbol the last plausible price and a key to close at it
 */
export async function previewPrice(
  deps: QuotesDeps,
  caller: Caller,
  ticker: string,
  now: Date,
): Promise<PricePreview> {
  const directory = await deps.directory.now()
  const symbol = directory.canonical(normaliseSymbol(ticker))
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
  const asked = { symbol, traderId: caller.userId }
  const ask = () => deps.prices.quote(symbol, caller.userId)
  const judged = await askPlausible(deps, asked, ask, now).catch((error: unknown) =>
    offerLastPrice(deps, asked, error, now),
  )
  // Not beside the price: a check of a symbol without a price would use a second call.
  await learnName(deps, directory, symbol, now)
  if (!judged.suspect) return issueKey(deps, { ...asked, quote: judged.quote }, now)
  return offerLastPrice(deps, asked, refusal('price_suspect', { symbol }), now)
}

/**
 * A holder of a symbol can close at any hour (rule G-11), also without a price of now: at the last plausible one, until the first trade
 * after it.
 * @throws the given error; a refusal brings holders that price and a key for it
 */
async function offerLastPrice(
  deps: QuotesDeps,
  asked: { symbol: string; traderId: string },
  error: unknown,
  now: Date,
): Promise<never> {
  if (!(error instanceof Refusal)) throw error
  const last = await findLastPrice(deps.pipelined, asked, now)
  if (!last?.held) throw error
  const beside = await issueKey(deps, { ...asked, quote: last, suspect: true }, now)
  throw refusal(error.code, { symbol: asked.symbol, beside })
}

/**
 * Asks the provider for the company of a ticker that its list does not hold, at each check of its price: a new share, or a provider without
 * a list. A help alone: a failure leaves the name as it is. Where there is a list it is kept as the provider writes it until that
 * holds it: until then these letters alone identify the company.
 * @param symbol in the directory's spelling
 */
async function learnName(
  deps: { db: Queryable; prices: PriceSource; directory: Directory },
  known: DirectoryNow,
  symbol: string,
  now: Date,
): Promise<void> {
  if (known.lists(symbol)) return
  const found = await deps.prices.nameOf(symbol)
  if (found === null) return
  const name = known.isEmpty ? readableName(found) : found
  const before = known.keptName(symbol)
  if (name === before) return
  await withTransaction(deps.db, async (tx) => {
    await lockDirectory(tx)
    const version = await bumpDirectory(tx)
    if (before?.toLowerCase() !== name.toLowerCase()) await keepFormerNames(tx, [symbol], { version, now })
    await upsertSymbols(tx, [{ symbol, name, figi: null }], { listed: false, since: null, version })
  })
  deps.directory.changed()
}
