import { checkSymbol } from '@tradepost/contract/symbol'
import type { Clock } from '../platform/clock.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Log } from '../platform/log.ts'
import { type Breaker, makeBreaker } from './breaker.ts'
import { askFinnhub, type ProviderAnswer, type Quote } from './finnhub.ts'

/** The source of prices. The rest of the product uses this type alone and does not know the provider. */
export type PriceSource = {
  /**
   * @param symbol a ticker as `normaliseSymbol` returns it
   * @throws `symbol_invalid`, `symbol_not_found`, `price_unavailable`
   */
  quote(symbol: string): Promise<Quote>
}

const CACHE_MS = 5000
/** Any signed-in person chooses tickers, so the cache is bounded. */
const CACHE_MAX_SYMBOLS = 1000

type Remembered = { since: number; answer: Promise<ProviderAnswer> }

/**
 * Makes a source that asks a provider with Finnhub's quote call (decision G-45). A symbol is asked for at most once in 5 s,
 * however many people wait for it; while the provider is down, a circuit breaker refuses without asking.
 * @param options.base address of the provider or of the sandbox's market
 * @param options.key sent as a header, never logged and never part of an address
 */
export function makePriceSource(options: { base: string; key: string; clock: Clock; log: Log }): PriceSource {
  const remembered = new Map<string, Remembered>()
  const breaker = makeBreaker()

  function ask(symbol: string): Promise<ProviderAnswer> {
    const instant = options.clock.now().getTime()
    const known = remembered.get(symbol)
    // When the clock was set back, an answer from the future does not count.
    if (known && instant >= known.since && instant < known.since + CACHE_MS) return known.answer
    const answer = askGuarded(options, breaker, symbol)
    remembered.delete(symbol)
    remembered.set(symbol, { since: instant, answer })
    forgetOldest(remembered)
    // Failures are not cached: the next call asks again.
    answer.catch(() => {
      if (remembered.get(symbol)?.answer === answer) remembered.delete(symbol)
    })
    return answer
  }

  return {
    async quote(symbol) {
      const refused = checkSymbol(symbol)
      if (refused) throw refusal(refused)
      const answer = await ask(symbol)
      if (answer === 'unknown symbol') throw refusal('symbol_not_found', { symbol })
      return answer
    },
  }
}

async function askGuarded(
  options: { base: string; key: string; clock: Clock; log: Log },
  breaker: Breaker,
  symbol: string,
): Promise<ProviderAnswer> {
  if (!breaker.admits(options.clock.now())) throw refusal('price_unavailable')
  try {
    const answer = await askFinnhub(options, symbol)
    breaker.succeeded()
    return answer
  } catch (error) {
    breaker.failed(options.clock.now())
    const reason = error instanceof Error ? error.message : 'unknown'
    options.log.warn({ symbol, reason }, 'the price provider did not answer')
    throw refusal('price_unavailable')
  }
}

function forgetOldest(remembered: Map<string, Remembered>): void {
  if (remembered.size <= CACHE_MAX_SYMBOLS) return
  const oldest = remembered.keys().next()
  if (!oldest.done) remembered.delete(oldest.value)
}
