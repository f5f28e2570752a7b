import type { Ticker } from './tickers.ts'

export const DAY_S = 86_400

/**
 * A price is its level times e to a sum of smooth noises, each with its own rhythm: from one second up to half a year,
 * four times slower at each step. A random walk moves with the square root of time, so each swings twice as far as the
 * one before. The sum is bounded, so no price runs away, and any instant costs the same dozen look-ups.
 */
const RHYTHMS_S = Array.from({ length: 13 }, (_, step) => 4 ** step)
/** The fastest swings are lifted to this, or quiet shares would stand still for seconds. */
const LEAST_SWING = 0.00008
/** How far a share usually jumps between two days, as a part of its daily move. */
const OVERNIGHT = 0.3
/** A fund's swings are no wider than one of this rhythm: what its shares do in months cancels out, so that an index goes sideways. */
const WIDEST_OF_FUND_S = 5 * DAY_S
/** Keeps the noise of the jumps apart from that of the rhythms. */
const OVERNIGHT_STREAM = 99

/**
 * The simulated price in dollars: the same for the same share and second, always and everywhere.
 * @param second Unix time in whole seconds
 */
export function priceAt(ticker: Ticker, second: number): number {
  return roundPrice(ticker.level * swingAt(ticker, second))
}

/** The level in dollars of a share that has a price at a second. */
export function levelFor(share: Drawn, price: number, second: number): number {
  return price / swingAt(share, second)
}

type Drawn = Pick<Ticker, 'seed' | 'volatility' | 'fund'>

/** The price as a part of the level. */
function swingAt({ fund, seed: text, volatility }: Drawn, second: number): number {
  const seed = hashText(text)
  let log = OVERNIGHT * volatility * unit(seed, OVERNIGHT_STREAM, Math.floor(second / DAY_S))
  for (const [stream, rhythm] of RHYTHMS_S.entries()) {
    const wide = fund ? Math.min(rhythm, WIDEST_OF_FUND_S) : rhythm
    const swing = Math.max(LEAST_SWING, volatility * Math.sqrt(wide / DAY_S))
    log += swing * smoothNoise(seed, stream, second / rhythm)
  }
  return Math.exp(log)
}

/** As prices are quoted: two decimals, four under a dollar. */
export function roundPrice(dollars: number): number {
  const steps = dollars >= 1 ? 100 : 10_000
  return Math.max(1, Math.round(dollars * steps)) / steps
}

/** Between -1 and 1; passes smoothly through a random value at every whole `position` (shifted a little by stream). */
function smoothNoise(seed: number, stream: number, position: number): number {
  const shifted = position + (unit(seed, stream, -1) + 1) / 2
  const left = Math.floor(shifted)
  const way = shifted - left
  const eased = way * way * (3 - 2 * way)
  return unit(seed, stream, left) * (1 - eased) + unit(seed, stream, left + 1) * eased
}

/** A random number between -1 and 1 that belongs to these three for ever (murmur3's final mixing). */
function unit(seed: number, stream: number, index: number): number {
  let mixed = seed ^ Math.imul(stream + 1, 0x9e3779b1) ^ Math.imul(index, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x7fffffff - 1
}

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
