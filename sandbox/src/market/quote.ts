import { DAY_S, priceAt } from './price.ts'
import type { Ticker } from './tickers.ts'

/** The quote as Finnhub writes it: current, change, change in percent, high, low, open, previous close, Unix time. */
export type Quote = {
  c: number
  d: number | null
  dp: number | null
  h: number
  l: number
  o: number
  pc: number
  t: number
}

/** Finnhub's answer, with status 200, for a symbol it does not know. */
export const UNKNOWN: Quote = { c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 }

/** High and low are looked up every five minutes of the day so far. */
const LOOK_S = 300

/** The simulated quote of an instant. The market never closes; its day is the UTC day. */
export function quoteAt(ticker: Ticker, at: Date): Quote {
  const t = unixSeconds(at)
  const midnight = t - (t % DAY_S)
  const c = priceAt(ticker, t)
  const day = [c]
  for (let second = midnight; second < t; second += LOOK_S) day.push(priceAt(ticker, second))
  const pc = priceAt(ticker, midnight - 1)
  const o = priceAt(ticker, midnight)
  return { c, ...change(c, pc), h: Math.max(...day), l: Math.min(...day), o, pc, t }
}

/** A quote with a price that somebody fixed; the day around it stays the simulated one, if the symbol has one. */
export function fixedQuote(ticker: Ticker | null, price: number, at: Date): Quote {
  const t = unixSeconds(at)
  if (!ticker) return { c: price, ...change(price, price), h: price, l: price, o: price, pc: price, t }
  const { h, l, o, pc } = quoteAt(ticker, at)
  return { c: price, ...change(price, pc), h: Math.max(h, price), l: Math.min(l, price), o, pc, t }
}

/** Whether a wrong price lies outside the day's high and low, as glitches do, or is believed by them. */
export const RANGES = ['outside', 'inside'] as const
export type Range = (typeof RANGES)[number]

/** A quote with a wrong price. */
export function glitchedQuote(quote: Quote, { price, range }: { price: number; range: Range }): Quote {
  const { h, l, pc } = quote
  const wrong = { ...quote, c: price, ...change(price, pc) }
  return range === 'outside' ? wrong : { ...wrong, h: Math.max(h, price), l: Math.min(l, price) }
}

function change(price: number, previous: number): { d: number; dp: number } {
  return { d: fourDecimals(price - previous), dp: fourDecimals(((price - previous) / previous) * 100) }
}

function fourDecimals(value: number): number {
  // Adding zero turns -0 into 0.
  return Math.round(value * 10_000) / 10_000 + 0
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
