import type { Ticker } from './tickers.ts'

/** Finnhub's answer to a symbol search, `/api/v1/search`. */
export type SearchAnswer = { count: number; result: ReturnType<typeof describeTicker>[] }

/** Tickers that begin with a text, then companies with a word that does. */
export function searchTickers(tickers: readonly Ticker[], query: string): SearchAnswer {
  const sought = query.toUpperCase()
  const bySymbol = tickers.filter(({ symbol }) => symbol.startsWith(sought))
  const byName = tickers.filter(
    (ticker) => !bySymbol.includes(ticker) && ` ${ticker.name.toUpperCase()}`.includes(` ${sought}`),
  )
  const result = [...bySymbol, ...byName].map(describeTicker)
  return { count: result.length, result }
}

/** A share or fund in the form of Finnhub's lists: the name in capitals. */
export function describeTicker({ fund, name, symbol }: Ticker) {
  return {
    symbol,
    displaySymbol: symbol,
    description: name.toUpperCase(),
    type: fund ? 'ETP' : 'Common Stock',
  }
}
