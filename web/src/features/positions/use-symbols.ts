import { useQuery } from '@tanstack/react-query'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { symbolEndpoints } from '@tradepost/contract/symbol-endpoints'
import type { FoundSymbol } from '@tradepost/contract/symbols'
import { useEffect, useState } from 'react'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'

/** Nobody reads suggestions between two letters. */
const TYPING_PAUSE_MS = 300
const FRESH_MS = 600_000

/** The help of the ticker field for a text. */
export type SymbolHelp = {
  /** The company behind the ticker that is typed, or null. */
  name: string | null
  /** Tickers to choose from, while what is typed is none of them. */
  suggestions: readonly FoundSymbol[]
}

/**
 * Tickers and companies like a text, asked 300 ms after the last letter. The last answer stays until the next one is there.
 * A provider that is away changes nothing: any ticker can be typed.
 */
export function useSymbols(typed: string): SymbolHelp {
  const query = usePaused(typed.trim())
  const { data } = useQuery({
    queryKey: ['symbols', query.toLowerCase()],
    queryFn: async ({ signal }) => (await call(symbolEndpoints.symbols, { query }, signal)).symbols,
    enabled: query !== '',
    placeholderData: (before) => before,
    ...triedOnce(FRESH_MS),
  })
  const symbol = normaliseSymbol(typed)
  if (symbol === '' || data === undefined) return { name: null, suggestions: [] }
  const name = data.find((found) => found.symbol === symbol)?.name ?? null
  return { name, suggestions: name === null ? data : [] }
}

/** A text as it was when it last stood still; an empty one at once. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : paused
}
