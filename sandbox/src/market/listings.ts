import { TICKERS, type Ticker } from './tickers.ts'

/** A change that was made to the list by hand, from the view of one of its symbols. */
export type Change =
  | { kind: 'renamed'; from: string }
  | { kind: 'listed'; name: string }
  | { kind: 'delisted'; name: string }

/** The shares that trade, each under a symbol of its own. */
export type Listings = {
  all(): readonly Ticker[]
  at(symbol: string): Ticker | null
  rename(symbol: string, to: string): void
  delist(symbol: string): void
  list(ticker: Ticker): void
  /**
   * Puts the simulation's share under a symbol, or none where it has none. A share that has to go from there goes back
   * to its own symbol, and so on. @returns all symbols that were given back
   */
  giveBack(symbol: string): string[]
  giveAllBack(): void
  /** By symbol, what differs from the simulation. */
  changes(): Map<string, Change[]>
}

const RANKS = new Map(TICKERS.map(({ seed }, rank) => [seed, rank]))

export function makeListings(): Listings {
  let listed: readonly Ticker[] = TICKERS
  const at = (symbol: string) => listed.find((one) => one.symbol === symbol) ?? null
  const giveBack = (symbol: string): string[] => {
    const here = at(symbol)
    const native = nativeOf(symbol)
    const away = listed.find(({ seed }) => seed === native?.seed) ?? null
    const others = listed.filter((one) => one !== here && one !== away)
    listed = native ? inOrder([...others, native]) : others
    const home = here && here !== away ? nativeOf(here.seed) : null
    return [symbol, ...(away ? [away.symbol] : []), ...(home ? giveBack(home.symbol) : [])]
  }
  return {
    all: () => listed,
    at,
    rename(symbol, to) {
      listed = listed.map((one) => (one.symbol === symbol ? { ...one, symbol: to } : one))
    },
    delist(symbol) {
      listed = listed.filter((one) => one.symbol !== symbol)
    },
    list(ticker) {
      listed = [...listed, ticker]
    },
    giveBack,
    giveAllBack() {
      listed = TICKERS
    },
    changes: () => changesOf(listed),
  }
}

/** By symbol or seed: of the simulation's own shares they are the same. */
function nativeOf(seed: string): Ticker | null {
  return TICKERS[RANKS.get(seed) ?? -1] ?? null
}

/** The simulation's shares first. */
function inOrder(tickers: Ticker[]): Ticker[] {
  const rank = ({ seed }: Ticker) => RANKS.get(seed) ?? TICKERS.length
  return tickers.sort((one, other) => rank(one) - rank(other))
}

function changesOf(listed: readonly Ticker[]): Map<string, Change[]> {
  const changes = new Map<string, Change[]>()
  const add = (symbol: string, change: Change) =>
    changes.set(symbol, [...(changes.get(symbol) ?? []), change])
  for (const { name, seed, symbol } of listed) {
    const native = nativeOf(seed)
    if (!native) add(symbol, { kind: 'listed', name })
    else if (native.symbol !== symbol) add(symbol, { kind: 'renamed', from: native.symbol })
  }
  const seeds = new Set(listed.map(({ seed }) => seed))
  for (const { name, seed, symbol } of TICKERS) if (!seeds.has(seed)) add(symbol, { kind: 'delisted', name })
  return changes
}
