import { type Candles, candlesOf, type Resolution } from './candles.ts'
import { fixedQuote, glitchedQuote, type Quote, quoteAt, type Range, UNKNOWN } from './quote.ts'
import { TICKERS, type Ticker } from './tickers.ts'

/** How old a quote claims to be while the market is told to be stale. */
const STALE_MS = 3_600_000

const BY_SYMBOL = new Map(TICKERS.map((ticker) => [ticker.symbol, ticker]))

/** Changes of a symbol by hand. The past that candles tell has its splits alone. */
export type Moved = {
  /** `at` null: the price is always of this moment. */
  fixed: { price: number; at: Date | null } | null
  haltedAt: Date | null
  glitch: { price: number; until: Date; range: Range } | null
  /** New shares for one of the simulation's. */
  shares: number
}

/** The market and what people and tests have changed in it. */
export type Exchange = {
  quote(symbol: string, now: Date): Quote
  /** The past of the simulation, in the shares of today. */
  candles(symbol: string, resolution: Resolution, span: { from: number; to: number }, now: Date): Candles
  /** @throws while the symbol is halted, as `glitch` does */
  fix(symbol: string, price: number, at: Date | null): void
  /** From now on there is no newer trade. @throws for a symbol without a price, as `glitch` and `split` do */
  halt(symbol: string, now: Date): void
  resume(symbol: string): void
  /** @throws where a price that shall lie outside of the day's high and low lies within them */
  glitch(symbol: string, glitch: { price: number; seconds: number; range: Range }, now: Date): void
  split(symbol: string, ratio: { newShares: number; oldShares: number }, now: Date): void
  /** Gives a symbol, or all of them, back to the simulation. */
  free(symbol: string | null): void
  setStale(stale: boolean): void
  /** By symbol, what differs from the simulation now. */
  moved(now: Date): [symbol: string, moved: Moved][]
}

/** An order that the market cannot follow; the message says why. */
export class Refused extends Error {
  readonly statusCode = 409
}

const UNTOUCHED: Moved = { fixed: null, haltedAt: null, glitch: null, shares: 1 }

export function makeExchange(): Exchange {
  const hand = new Map<string, Moved>()
  let stale = false
  const movedOf = (symbol: string) => hand.get(symbol) ?? UNTOUCHED
  const move = (symbol: string, change: Partial<Moved>) => hand.set(symbol, { ...movedOf(symbol), ...change })
  const tickerOf = (symbol: string): Ticker | null => {
    const ticker = BY_SYMBOL.get(symbol)
    return ticker ? { ...ticker, level: ticker.level / movedOf(symbol).shares } : null
  }
  const quote: Exchange['quote'] = (symbol, now) => {
    const { fixed, glitch, haltedAt } = movedOf(symbol)
    const ticker = tickerOf(symbol)
    const tradedAt = earlier(fixed?.at ?? now, haltedAt)
    const at = new Date(tradedAt.getTime() - (stale ? STALE_MS : 0))
    const plain = fixed ? fixedQuote(ticker, fixed.price, at) : ticker ? quoteAt(ticker, at) : UNKNOWN
    return glitch && now < glitch.until ? glitchedQuote(plain, glitch) : plain
  }
  const requirePrice = (symbol: string, now: Date) => {
    const plain = quote(symbol, now)
    if (plain === UNKNOWN) throw new Refused(`There is no price of ${symbol}.`)
    return plain
  }
  const requireTrade = (symbol: string) => {
    if (movedOf(symbol).haltedAt) throw new Refused(`${symbol} is halted.`)
  }
  return {
    quote,
    candles: (symbol, resolution, span, now) =>
      candlesOf(tickerOf(symbol), resolution, span, earlier(now, movedOf(symbol).haltedAt)),
    fix(symbol, price, at) {
      requireTrade(symbol)
      move(symbol, { fixed: { price, at } })
    },
    halt(symbol, now) {
      requirePrice(symbol, now)
      move(symbol, { haltedAt: movedOf(symbol).haltedAt ?? now, glitch: null })
    },
    resume: (symbol) => void move(symbol, { haltedAt: null }),
    glitch(symbol, { price, range, seconds }, now) {
      requireTrade(symbol)
      move(symbol, { glitch: null })
      const { h, l } = requirePrice(symbol, now)
      if (range === 'outside' && price >= l && price <= h)
        throw new Refused(`${price} lies within the day of ${symbol}, ${l} to ${h}.`)
      move(symbol, { glitch: { price, range, until: new Date(now.getTime() + seconds * 1000) } })
    },
    split(symbol, { newShares, oldShares }, now) {
      requirePrice(symbol, now)
      const { fixed, glitch, shares } = movedOf(symbol)
      const inNew = <Priced extends { price: number }>(priced: Priced | null) =>
        priced && { ...priced, price: (priced.price * oldShares) / newShares }
      move(symbol, {
        fixed: inNew(fixed),
        glitch: inNew(glitch),
        shares: (shares * newShares) / oldShares,
      })
    },
    free(symbol) {
      if (symbol === null) hand.clear()
      else hand.delete(symbol)
    },
    setStale(next) {
      stale = next
    },
    moved: (now) =>
      [...hand]
        .map(([symbol, one]): [string, Moved] => [symbol, isOver(one, now) ? { ...one, glitch: null } : one])
        .filter(([, one]) => one.fixed || one.haltedAt || one.glitch || one.shares !== 1)
        .sort(([one], [other]) => one.localeCompare(other)),
  }
}

function isOver({ glitch }: Moved, now: Date): boolean {
  return glitch !== null && now >= glitch.until
}

function earlier(instant: Date, other: Date | null): Date {
  return other && other < instant ? other : instant
}
