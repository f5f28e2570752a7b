import { type Candles, candlesOf, type Resolution } from './candles.ts'
import { fixedQuote, type Quote, quoteAt, UNKNOWN } from './quote.ts'
import { TICKERS, type Ticker } from './tickers.ts'

/** How old a quote claims to be while the market is told to be stale. */
const STALE_MS = 3_600_000

const BY_SYMBOL = new Map(TICKERS.map((ticker) => [ticker.symbol, ticker]))

/** The market and what tests have changed in it. `at` null: the fixed price is always of this moment. */
export type Exchange = {
  quote(symbol: string, now: Date): Quote
  /** The past of the simulation; a price that a test has fixed is not in it. */
  candles(symbol: string, resolution: Resolution, span: { from: number; to: number }, now: Date): Candles
  fix(symbol: string, price: number, at: Date | null): void
  /** Gives a symbol, or all of them, back to the simulation. */
  free(symbol: string | null): void
  setStale(stale: boolean): void
}

export function makeExchange(): Exchange {
  const fixed = new Map<string, { price: number; at: Date | null }>()
  let stale = false
  return {
    quote(symbol, now) {
      const pin = fixed.get(symbol)
      const ticker: Ticker | null = BY_SYMBOL.get(symbol) ?? null
      const at = new Date((pin?.at ?? now).getTime() - (stale ? STALE_MS : 0))
      if (pin) return fixedQuote(ticker, pin.price, at)
      return ticker ? quoteAt(ticker, at) : UNKNOWN
    },
    candles(symbol, resolution, span, now) {
      return candlesOf(BY_SYMBOL.get(symbol) ?? null, resolution, span, now)
    },
    fix(symbol, price, at) {
      fixed.set(symbol, { price, at })
    },
    free(symbol) {
      if (symbol === null) fixed.clear()
      else fixed.delete(symbol)
    },
    setStale(next) {
      stale = next
    },
  }
}
