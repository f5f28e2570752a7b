import type { Endpoint } from './endpoint.ts'
import { symbolsAnswer, symbolsQuery } from './symbols.ts'

/** The call about symbols. */
export const symbolEndpoints = {
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    query: symbolsQuery,
    answer: symbolsAnswer,
  },
} as const satisfies Record<string, Endpoint>
