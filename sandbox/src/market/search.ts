import { TICKERS } from './tickers.ts'

/** Finnhub's answer to a symbol search, `/api/v1/search`. */
export type SearchAnswer = {
  count: number
  result: { symbol: string; displaySymbol: string; description: string; type: string }[]
}

/** Tickers that begin with a text, then companies with a word that does; names in capitals, as Finnhub writes them. */
export function searchTickers(query: string): SearchAnswer {
  const sought = query.toUpperCase()
  const bySymbol = TICKERS.filter(({ symbol }) => symbol.startsWith(sought))
  const byName = TICKERS.filter(
    (ticker) => !bySymbol.includes(ticker) && ` ${ticker.name.toUpperCase()}`.includes(` ${sought}`),
  )
  const result = [...bySymbol, ...byName].map(({ symbol, name }) => ({
    symbol,
    displaySymbol: symbol,
    description: name.toUpperCase(),
    type: 'Common Stock',
  }))
  return { count: result.length, result }
}
