import { askTwice, type DailyClose, type PriceProvider } from '../../quotes/provider/provider.ts'
import { makeRandom } from './random.ts'

/** Prices of shares in the months that a demo world lies in. */
export type SeedMarket = {
  /** At the end of the session of that day, or of the last one before it; US dollars. */
  priceAt(symbol: string, day: Date): number
  /** Whether these are the provider's prices, and not made up. */
  isReal: boolean
}

const DAY_MS = 86_400_000
/** A little longer than the world's history. */
const DAYS = 260
const DAILY_VOLATILITY = 0.018

/**
 * The provider's past, so that demo positions are what they would have been; where it has none, a past that is made up by chance
 * and ends at today's prices.
 */
export async function readSeedMarket(
  provider: PriceProvider,
  symbols: readonly string[],
  now: Date,
): Promise<SeedMarket> {
  const span = { from: dayOf(new Date(now.getTime() - DAYS * DAY_MS)), until: dayOf(now) }
  const closes = new Map<string, readonly DailyClose[]>()
  let isReal = true
  for (const symbol of symbols) {
    const past = await askTwice((signal) => provider.closes(symbol, span, signal))
    isReal &&= past !== 'no past'
    closes.set(symbol, past === 'no past' ? makeUpPast(symbol, await priceOf(provider, symbol), now) : past)
  }
  return {
    isReal,
    priceAt(symbol, day) {
      const known = closes.get(symbol) ?? []
      const last = known.findLast((close) => close.day <= dayOf(day)) ?? known[0]
      if (last === undefined) throw new Error(`${symbol} has no price on ${dayOf(day)} or before.`)
      return Number(last.close)
    },
  }
}

/** US dollars. @throws for a symbol without a price */
async function priceOf(provider: PriceProvider, symbol: string): Promise<number> {
  const quote = await askTwice((signal) => provider.quote(symbol, signal))
  if (quote === 'unknown symbol') throw new Error(`${symbol} has no price.`)
  return Number(quote.price)
}

/** The same for the same symbol, day and price. */
function makeUpPast(symbol: string, level: number, now: Date): DailyClose[] {
  const random = makeRandom([...symbol].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
  let price = level
  return Array.from({ length: DAYS }, (_, ago) => {
    const close = { day: dayOf(new Date(now.getTime() - ago * DAY_MS)), close: price.toFixed(2) }
    price /= 1 + random.normal() * DAILY_VOLATILITY
    return close
  }).reverse()
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
