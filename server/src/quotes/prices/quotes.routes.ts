import { endpoints } from '@tradepost/contract/endpoints'
import { seenText } from '@tradepost/contract/seen-text'
import { type FoundSymbol, SYMBOL_QUERY_MAX_LENGTH } from '@tradepost/contract/symbols'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Caller, EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { takeFromLimit } from '../../platform/rate-limit.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Directory } from '../symbols/directory.ts'
import { previewPrice, type QuotesDeps } from './preview-price.ts'

/** One each 300 ms of typing would be 200. */
const SEARCHES_PER_MINUTE_AND_ACCOUNT = 60

export function quotesRoutes(api: EndpointRegistry, deps: QuotesDeps): void {
  api.serve(endpoints.symbols, ({ caller, query, now }) => searchSymbols(deps, caller, query.query, now))
  api.serve(endpoints.preview, ({ caller, body, now }) => previewPrice(deps, caller, body.symbol, now))
}

/**
 * Tickers and company names for somebody who types one, from the list that is kept (ADR 0082): nobody's search asks the provider. A
 * help alone: a ticker may be typed whatever this answers.
 * @param query as typed
 * @returns nothing for an empty text
 * @throws `rate_limited`
 */
async function searchSymbols(
  deps: { db: Queryable; directory: Directory; settings: Settings },
  caller: Caller,
  query: string,
  now: Date,
): Promise<{ symbols: FoundSymbol[] }> {
  const asked = seenText(query)
    .replace(/^[$#]+/, '')
    .slice(0, SYMBOL_QUERY_MAX_LENGTH)
  if (asked === '') return { symbols: [] }
  if (deps.settings.limitsOn) {
    const limit = {
      key: `symbols:${caller.userId}`,
      max: SEARCHES_PER_MINUTE_AND_ACCOUNT,
      windowSeconds: 60,
    }
    await takeFromLimit(deps.db, limit, now)
  }
  return { symbols: (await deps.directory.now()).search(asked) }
}
