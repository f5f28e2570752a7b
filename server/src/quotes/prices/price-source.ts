import type { RefusalCode } from '@tradepost/contract/errors'
import { checkSymbol } from '@tradepost/contract/symbol'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import { Refusal, refusal } from '../../platform/http/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { makeBreaker } from '../provider/breaker.ts'
import { askTwice, OddAnswer, type PriceProvider, ProviderFault, type Quote } from '../provider/provider.ts'
import type { Calls } from '../provider/take-call.ts'

/** Prices for people, and the names of companies beside them. */
export type PriceSource = {
  /**
   * @param symbol a ticker as `normaliseSymbol` returns it
   * @param personId of the caller
   * @throws `symbol_invalid`, `symbol_not_found`, `price_unavailable`
   */
  quote(symbol: string, personId: string): Promise<Quote>
  /** The company of a ticker that no list holds, as the provider writes it; null where it has none. A help alone. */
  nameOf(symbol: string): Promise<string | null>
}

const NAME_DEADLINE_MS = 2000

/** A caller who was refused for want of a price gets the same refusal for so long; nobody else does. */
const NO_PRICE_KEPT_MS = 60_000
const NO_PRICES_KEPT = 10_000

type SourceOptions = {
  provider: PriceProvider
  calls: Pick<Calls, 'take' | 'takeFor'>
  clock: Clock
  log: Log
}

/** The provider's calls of this minute are used up. */
class NoCallLeft extends Error {}

/**
 * Makes a source that asks the provider for a quote (rule G-45), each time, since a position is recorded at it. While the provider is
 * down, a circuit breaker refuses without asking, one for each call: names that fail do not keep prices away. An odd answer is its
 * symbol's alone, and counts in no breaker; nor does a question that has to wait since calls are scarce (ADR 0081).
 */
export function makePriceSource(options: SourceOptions): PriceSource {
  const { calls, clock, provider } = options
  const guardQuotes = guarded(options)
  const guardNames = guarded(options)
  const withoutPrice = keepRefusals(clock)
  return {
    async quote(symbol, personId) {
      const refused = checkSymbol(symbol)
      if (refused) throw refusal(refused)
      return withoutPrice(`${personId} ${symbol}`, symbol, async () => {
        const answer = await guardQuotes(symbol, () =>
          askTwice(async (signal) => {
            if (!(await calls.takeFor(personId, symbol)))
              throw new NoCallLeft('no call is left of this minute')
            return provider.quote(symbol, signal)
          }),
        )
        return answer === 'unknown symbol' ? 'symbol_not_found' : (answer ?? 'price_unavailable')
      })
    },
    async nameOf(symbol) {
      const ask = () =>
        askTwice(async (signal) => {
          if (!(await calls.take('directory'))) throw new NoCallLeft('no call is left of this minute')
          return provider.name(symbol, signal)
        }, NAME_DEADLINE_MS)
      try {
        return await guardNames(symbol, ask)
      } catch (error) {
        if (error instanceof Refusal) return null
        throw error
      }
    },
  }
}

/**
 * @returns a function that asks unless the provider is down, and answers null for an odd answer
 * @throws `price_unavailable` when the provider does not answer, or has not answered lately
 */
function guarded({ clock, log }: SourceOptions) {
  const breaker = makeBreaker()
  return async <Answer>(about: string, ask: () => Promise<Answer>): Promise<Answer | null> => {
    if (!breaker.admits(clock.now())) throw refusal('price_unavailable')
    try {
      const answer = await ask()
      breaker.succeeded()
      return answer
    } catch (error) {
      const isOdd = error instanceof OddAnswer
      if (isOdd) breaker.succeeded()
      else if (error instanceof ProviderFault) breaker.failed(clock.now(), error.everybodys ? null : about)
      else breaker.dropped()
      if (!(isOdd || error instanceof ProviderFault || error instanceof NoCallLeft)) throw error
      // Words of ours, which quote nothing that was received.
      const { message: reason } = error
      log.warn(
        { reason },
        isOdd ? 'the price provider gave an odd answer' : 'the price provider did not answer',
      )
      if (isOdd) return null
      throw refusal('price_unavailable')
    }
  }
}

/** Keeps for a while that there is no price for somebody's symbol, so that asking on and on costs the provider nothing. */
function keepRefusals(clock: Clock) {
  const kept = new LRUCache<string, { code: RefusalCode; since: number }>({ max: NO_PRICES_KEPT })
  return async (key: string, symbol: string, ask: () => Promise<Quote | RefusalCode>): Promise<Quote> => {
    const known = kept.get(key)
    const passed = known ? clock.now().getTime() - known.since : -1
    // When the clock was set back, a refusal from the future does not count.
    if (known && passed >= 0 && passed < NO_PRICE_KEPT_MS) throw refusal(known.code, { symbol })
    const answer = await ask()
    if (typeof answer !== 'string') return answer
    kept.set(key, { code: answer, since: clock.now().getTime() })
    throw refusal(answer, { symbol })
  }
}
