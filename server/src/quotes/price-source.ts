import { checkSymbol } from '@tradepost/contract/symbol'
import type { FoundSymbol } from '@tradepost/contract/symbols'
import type { Clock } from '../platform/clock.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Log } from '../platform/log.ts'
import { keepAnswers } from '../platform/recent-answers.ts'
import { makeBreaker } from './breaker.ts'
import { askQuote, askSymbols, type Quote } from './finnhub.ts'

/** The source of prices and tickers. The rest of the product uses this type alone and does not know the provider. */
export type PriceSource = {
  /**
   * @param symbol a ticker as `normaliseSymbol` returns it
   * @throws `symbol_invalid`, `symbol_not_found`, `price_unavailable`
   */
  quote(symbol: string): Promise<Quote>
  /**
   * Tickers like a text, the likeliest first.
   * @param query lower-case and trimmed
   * @throws `price_unavailable`
   */
  search(query: string): Promise<FoundSymbol[]>
}

/** Companies rarely change their names. */
const SEARCH_KEPT_MS = 600_000

type SourceOptions = { base: string; key: string; clock: Clock; log: Log }

/**
 * Makes a source that asks a provider with Finnhub's calls for a quote and for symbols (decision G-45). A quote is asked for each
 * time, since a position is recorded at it; a search at most once in ten minutes, however many people wait for it. While the provider is
 * down, a circuit breaker refuses without asking, one for each call: suggestions that fail do not keep prices away.
 * @param options.base address of the provider or of the sandbox's market
 * @param options.key sent as a header, never logged and never part of an address
 */
export function makePriceSource(options: SourceOptions): PriceSource {
  const quote = guarded(options, (symbol: string) => askQuote(options, symbol))
  const search = keepAnswers(
    options.clock,
    SEARCH_KEPT_MS,
    guarded(options, (query) => askSymbols(options, query)),
  )
  return {
    async quote(symbol) {
      const refused = checkSymbol(symbol)
      if (refused) throw refusal(refused)
      const answer = await quote(symbol)
      if (answer === 'unknown symbol') throw refusal('symbol_not_found', { symbol })
      return answer
    },
    search,
  }
}

/** @throws `price_unavailable` when the provider does not answer, or has not answered lately */
function guarded<Answer>(
  { clock, log }: SourceOptions,
  ask: (asked: string) => Promise<Answer>,
): (asked: string) => Promise<Answer> {
  const breaker = makeBreaker()
  return async (asked) => {
    if (!breaker.admits(clock.now())) throw refusal('price_unavailable')
    try {
      const answer = await ask(asked)
      breaker.succeeded()
      return answer
    } catch (error) {
      breaker.failed(clock.now())
      // Words of ours, which quote nothing that was received.
      const reason = error instanceof Error ? error.message : 'unknown'
      log.warn({ reason }, 'the price provider did not answer')
      throw refusal('price_unavailable')
    }
  }
}
