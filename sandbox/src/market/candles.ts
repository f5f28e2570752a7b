import { DAY_S, priceAt } from './price.ts'
import type { Ticker } from './tickers.ts'

/** As Finnhub writes a history: a list each of close, high, low, open, Unix time of the beginning, and volume. */
export type Candles =
  | { s: 'ok'; c: number[]; h: number[]; l: number[]; o: number[]; t: number[]; v: number[] }
  | { s: 'no_data' }

/** The widths among Finnhub's that somebody asks for: a minute, and a session. */
export const RESOLUTIONS = ['1', 'D'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

const MINUTE_S = 60
/** A session, by Monday to Friday in UTC. The quote goes on moving outside of it. */
const SESSION_OPENS_S = 14.5 * 3600
const SESSION_CLOSES_S = 21 * 3600
/** High and low are looked up so often within a session. */
const LOOK_S = 300
/** No answer is longer, as with other providers of such lists. */
const MAX_CANDLES = 5000

/**
 * The past of a share on the curve on which its quotes lie: the last candle of a span that is not over ends at the price of now.
 * @param span.from Unix time, as `to`, both within
 */
export function candlesOf(
  ticker: Ticker | null,
  resolution: Resolution,
  span: { from: number; to: number },
  at: Date,
): Candles {
  const now = Math.floor(at.getTime() / 1000)
  const width = resolution === 'D' ? DAY_S : MINUTE_S
  const candles: Extract<Candles, { s: 'ok' }> = { s: 'ok', c: [], h: [], l: [], o: [], t: [], v: [] }
  const last = Math.min(span.to, now)
  for (let t = Math.ceil(span.from / width) * width; ticker && t <= last; t += width) {
    const [begins, ends] = resolution === 'D' ? sessionOf(t) : [t, t + MINUTE_S - 1]
    if (begins >= ends || begins > now) continue
    const prices = pricesBetween(ticker, begins, Math.min(ends, now))
    candles.t.push(t)
    candles.o.push(prices[0] ?? 0)
    candles.c.push(prices.at(-1) ?? 0)
    candles.h.push(Math.max(...prices))
    candles.l.push(Math.min(...prices))
    candles.v.push(0)
    if (candles.t.length === MAX_CANDLES) break
  }
  return candles.t.length > 0 ? candles : { s: 'no_data' }
}

/** First and last second of the session of a day; no second at all on Saturday and Sunday. */
function sessionOf(midnight: number): [begins: number, ends: number] {
  const weekday = new Date(midnight * 1000).getUTCDay()
  if (weekday === 0 || weekday === 6) return [midnight, midnight]
  return [midnight + SESSION_OPENS_S, midnight + SESSION_CLOSES_S]
}

function pricesBetween(ticker: Ticker, begins: number, ends: number): number[] {
  const prices = []
  for (let second = begins; second < ends; second += LOOK_S) prices.push(priceAt(ticker, second))
  return [...prices, priceAt(ticker, ends)]
}
