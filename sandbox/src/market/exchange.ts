import { type Candles, candlesOf, type Resolution } from './candles.ts'
import { type Change, type Listings, makeListings } from './listings.ts'
import { levelFor } from './price.ts'
import { fixedQuote, glitchedQuote, type Quote, quoteAt, type Range, UNKNOWN } from './quote.ts'
import type { Ticker } from './tickers.ts'

/** The age of quotes while the market is set to be stale. */
const STALE_MS = 3_600_000
/** How far a share that is listed by hand usually moves in a day, as a fraction. */
const USUAL_VOLATILITY = 0.02

/** Changes of a symbol by hand. The past in candles has its splits alone. */
type Moved = {
  /** `at` null: the price is always of this moment. */
  fixed: { price: number; at: Date | null } | null
  haltedAt: Date | null
  glitch: { price: number; until: Date; range: Range } | null
  /** New shares for one of the simulation's. */
  shares: number
}

/** `changes`: what was done to the symbol in the list. */
export type Shown = Moved & { changes: Change[] }

type ListMoves = {
  /** From now on a share and what was moved of it have another symbol. @throws where `to` is taken; as `delist` does */
  rename(symbol: string, to: string, now: Date): void
  /** From now on there is no such share. @throws for a symbol that is not listed */
  delist(symbol: string): void
  /** A new share with this price in dollars now, which swings from here on. @throws where the symbol is taken */
  list(symbol: string, share: { name: string; price: number }, now: Date): void
}

/** The market and what people and tests have changed in it. */
export type Exchange = ListMoves & {
  /** All that is listed now, in the order of the list. */
  listed(): readonly Ticker[]
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
  /** Gives a symbol, or all of them, back to the simulation: its share too, and what took its place goes. */
  free(symbol: string | null): void
  setStale(stale: boolean): void
  /** By symbol, what differs from the simulation now. */
  moved(now: Date): [symbol: string, shown: Shown][]
}

/** An order that the market cannot follow; the message names the reason. */
export class Refused extends Error {
  readonly statusCode = 409
}

const UNTOUCHED: Moved = { fixed: null, haltedAt: null, glitch: null, shares: 1 }

export function makeExchange(): Exchange {
  const hand: Hand = new Map()
  const listings = makeListings()
  let stale = false
  const movedOf = (symbol: string) => hand.get(symbol) ?? UNTOUCHED
  const move = (symbol: string, change: Partial<Moved>) => hand.set(symbol, { ...movedOf(symbol), ...change })
  const tickerOf = (symbol: string): Ticker | null => {
    const ticker = listings.at(symbol)
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
    listed: listings.all,
    ...changeList(listings, hand, quote),
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
      if (symbol !== null) for (const one of listings.giveBack(symbol)) hand.delete(one)
      else {
        listings.giveAllBack()
        hand.clear()
      }
    },
    setStale(next) {
      stale = next
    },
    moved: (now) => shownOf(hand, listings.changes(), now),
  }
}

function shownOf(hand: Hand, changes: Map<string, Change[]>, now: Date): [symbol: string, shown: Shown][] {
  return [...new Set([...hand.keys(), ...changes.keys()])]
    .map((symbol): [string, Shown] => {
      const one = hand.get(symbol) ?? UNTOUCHED
      const glitch = isOver(one, now) ? null : one.glitch
      return [symbol, { ...one, glitch, changes: changes.get(symbol) ?? [] }]
    })
    .filter(
      ([, one]) => one.fixed || one.haltedAt || one.glitch || one.shares !== 1 || one.changes.length > 0,
    )
    .sort(([one], [other]) => one.localeCompare(other))
}

type Hand = Map<string, Moved>

function changeList(listings: Listings, hand: Hand, quote: Exchange['quote']): ListMoves {
  const requireListed = (symbol: string) => {
    if (!listings.at(symbol)) throw new Refused(`${symbol} is not listed.`)
  }
  // A price that was fixed for a symbol that is not listed takes it too.
  const requireFree = (symbol: string, now: Date) => {
    if (quote(symbol, now) !== UNKNOWN) throw new Refused(`${symbol} is taken.`)
  }
  return {
    rename(symbol, to, now) {
      requireListed(symbol)
      requireFree(to, now)
      listings.rename(symbol, to)
      hand.set(to, hand.get(symbol) ?? UNTOUCHED)
      hand.delete(symbol)
    },
    delist(symbol) {
      requireListed(symbol)
      listings.delist(symbol)
      hand.delete(symbol)
    },
    list(symbol, { name, price }, now) {
      requireFree(symbol, now)
      const share = { symbol, name, seed: `${symbol} ${name}`, volatility: USUAL_VOLATILITY, fund: false }
      const twin = listings.all().find(({ seed }) => seed === share.seed)
      if (twin) throw new Refused(`The ${name} of ${symbol} is listed as ${twin.symbol}.`)
      listings.list({ ...share, level: levelFor(share, price, Math.floor(now.getTime() / 1000)) })
    },
  }
}

function isOver({ glitch }: Moved, now: Date): boolean {
  return glitch !== null && now >= glitch.until
}

function earlier(instant: Date, other: Date | null): Date {
  return other && other < instant ? other : instant
}
