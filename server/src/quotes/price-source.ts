import { checkSymbol } from '@tradepost/contract/symbol'
import type { Clock } from '../platform/clock.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Log } from '../platform/log.ts'
import { type Breaker, makeBreaker } from './breaker.ts'
import { askFinnhub, type ProviderAnswer, type Quote } from './finnhub.ts'

/** Where prices come from; the one port, so that nothing else knows the provider. */
export type PriceSource = {
  /**
   * @param symbol a ticker as `normaliseSymbol` returns it
   * @throws `symbol_invalid`, `symbol_not_found`, `price_unavailable`
   */
  quote(symbol: string): Promise<Quote>
}

const CACHE_MS = 5000
/** Strangers choose the tickers, so what is remembered must be bounded. */
const CACHE_MAX_SYMBOLS = 1000

type Remembered = { since: number; answer: Promise<ProviderAnswer> }

/**
 * Prices of Finnhub's wire (decision G-45): asked at most once in 5 s a symbol however many wait for it, and left alone
 * while it is down.
 * @param options.base address of the provider, the sandbox's market included
 * @param options.key sent as a header, never logged and never part of an address
 */
export function makePriceSource(options: { base: string; key: string; clock: Clock; log: Log }): PriceSource {
  const remembered = new Map<string, Remembered>()
  const breaker = makeBreaker()

  function ask(symbol: string): Promise<ProviderAnswer> {
    const instant = options.clock.now().getTime()
    const known = remembered.get(symbol)
    // A clock that was set back makes nothing young again.
    if (known && instant >= known.since && instant < known.since + CACHE_MS) return known.answer
    const answer = askGuarded(options, breaker, symbol)
    remembered.delete(symbol)
    remembered.set(symbol, { since: instant, answer })
    forgetOldest(remembered)
    // Only answers are kept: the next to ask after a failure tries again.
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
