/**
 * A trader at one end of a position, with price keys (ADR 0075), while the market moves every second. The desk that takes the keys
 * is the app, or a stand-in that keeps keys as the database does and leaves every decision to the product's own functions.
 */
import { requireStanding, standsUnasked } from '../../src/quotes/prices/market-at-use.ts'
import { makeDraw } from './trader-population.ts'

/** 14:30 to 21:00 UTC. */
const SESSION_SECONDS = 23_400
const JUMP = 0.05

/** `volatility`: of a session, as a share; `newsEvery`: seconds between two jumps of 5 %, up or down, on average; null for none. */
export type Nature = { price: number; volatility: number; newsEvery: number | null }
/** Dollars in whole cents, at a second. */
export type Walk = (second: number) => number

export function drawWalk(seed: number, { newsEvery, price, volatility }: Nature): Walk {
  const draw = makeDraw(seed)
  const step = volatility / Math.sqrt(SESSION_SECONDS)
  const prices = [inCents(price)]
  let exact = price
  return (second) => {
    while (prices.length <= second) {
      const jumps = newsEvery !== null && draw.uniform() * newsEvery < 1
      const news = jumps ? 1 + (draw.uniform() < 0.5 ? JUMP : -JUMP) : 1
      exact *= Math.exp(draw.normal(0, step)) * news
      prices.push(inCents(exact))
    }
    return prices[second] ?? 0
  }
}

function inCents(dollars: number): number {
  return Math.max(1, Math.round(dollars * 100)) / 100
}

export type End = 'open' | 'close'
export type Key = { ticker: number; price: number; second: number }
/** `asked`: the market was looked at; `key`: the new one that a refusal brings. */
type Pressed =
  | { outcome: 'recorded'; asked: boolean; price: number }
  | { outcome: 'moved'; asked: boolean; key: Key }
  | { outcome: 'ended' }
/** Takes checks of tickers, by their number, and presses with keys. */
export type Desk = {
  check(ticker: number, second: number): Promise<Key>
  press(key: Key, second: number): Promise<Pressed>
}

const KEY_SECONDS = 120
const ROW_SECONDS = 86_400
const TICKERS_WITH_KEY = 3

/** Of a trader who has used no key before the press that is recorded, which is the last one. */
export function makeStandInDesk(walks: readonly Walk[], end: End): Desk {
  const all: Key[] = []
  let live: Key[] = []
  const issue = (ticker: number, second: number) => {
    const others = live.filter((key) => key.ticker !== ticker && second - key.second < KEY_SECONDS)
    const key = { ticker, price: walks[ticker]?.(second) ?? 0, second }
    live = [...others.slice(1 - TICKERS_WITH_KEY), key]
    all.push(key)
    return key
  }
  return {
    check: async (ticker, second) => issue(ticker, second),
    async press(key, second) {
      if (!live.includes(key) || second - key.second >= KEY_SECONDS) return { outcome: 'ended' }
      const inARow = all.some((other) => other !== key && second - other.second < ROW_SECONDS)
      const [checkedAt, now] = [new Date(key.second * 1000), new Date(second * 1000)]
      const asked = !standsUnasked({ checkedAt, inARow }, now)
      const market = { price: String(walks[key.ticker]?.(second)), at: now, high: null, low: null }
      const preview = { id: '', price: String(key.price), quotedAt: checkedAt, checkedAt, suspect: false }
      try {
        requireStanding(end, preview, asked ? market : 'not asked')
      } catch (error) {
        if (!(error instanceof Error && 'quote' in error)) throw error
        return { outcome: 'moved', asked, key: issue(key.ticker, second) }
      }
      return { outcome: 'recorded', asked, price: key.price }
    },
  }
}

/** `ahead`: how much better for the trader the price of the key is than the market's, as a part of that. */
export type Press = { ticker: number; second: number; ahead: number; pressed: Pressed }

/** A trader's doings at one end, and their outcome. Keys are the newest of their tickers, unless one is named. */
export type Visit = {
  second(): number
  wait(seconds: number): void
  check(ticker: number): Promise<void>
  /** -1 without a key. */
  ahead(ticker: number): number
  /** The keys of the last two minutes, also where they have ended early, the most ahead first. */
  keys(): Key[]
  press(key: Key | number): Promise<Pressed['outcome']>
  presses: Press[]
}

export function makeVisit(desk: Desk, walks: readonly Walk[], end: End): Visit {
  let now = 0
  const held: Key[] = []
  const newest = new Map<number, Key>()
  const isLive = ({ second }: Key) => now - second < KEY_SECONDS
  const keep = (key: Key) => {
    held.push(key)
    newest.set(key.ticker, key)
  }
  const aheadOf = ({ price, ticker }: Key) => {
    const market = walks[ticker]?.(now) ?? 0
    return (end === 'open' ? market - price : price - market) / market
  }
  const presses: Press[] = []
  return {
    presses,
    second: () => now,
    wait(seconds) {
      now += seconds
    },
    async check(ticker) {
      keep(await desk.check(ticker, now))
    },
    ahead(ticker) {
      const key = newest.get(ticker)
      return key && isLive(key) ? aheadOf(key) : -1
    },
    keys: () => held.filter(isLive).sort((one, other) => aheadOf(other) - aheadOf(one)),
    async press(chosen) {
      const key = typeof chosen === 'number' ? newest.get(chosen) : chosen
      if (!key) throw new Error('no key')
      const ahead = aheadOf(key)
      const pressed = await desk.press(key, now)
      presses.push({ ticker: key.ticker, second: now, ahead, pressed })
      if (pressed.outcome === 'moved') keep(pressed.key)
      return pressed.outcome
    },
  }
}
