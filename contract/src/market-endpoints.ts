import type { Endpoint } from './endpoint.ts'
import { marksAnswer } from './marks.ts'
import { symbolsAnswer, symbolsQuery } from './symbols.ts'

/** Calls about symbols and what they cost. */
export const marketEndpoints = {
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    query: symbolsQuery,
    answer: symbolsAnswer,
  },
  marks: {
    method: 'GET',
    path: '/v1/marks',
    answer: marksAnswer,
  },
} as const satisfies Record<string, Endpoint>
