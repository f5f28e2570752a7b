import * as z from 'zod/mini'
import { limited } from './limited.ts'

/** Tickers offered at once to somebody who types one. */
export const SYMBOLS_MAX_COUNT = 6
/** Of what is looked up; longer texts are cut. */
export const SYMBOL_QUERY_MAX_LENGTH = 40

export const symbolsQuery = z.object({
  query: limited(z.string(), {
    maxLength: SYMBOL_QUERY_MAX_LENGTH,
  }),
})

/** Tickers of the provider's list, the likeliest first; empty when nothing is like the query. */
export const symbolsAnswer = z.object({
  symbols: z.array(
    z.object({
      symbol: z.string(),
      /** Of the company or fund, in ordinary capitals. */
      name: z.string(),
    }),
  ),
})
export type FoundSymbol = z.infer<typeof symbolsAnswer>['symbols'][number]
