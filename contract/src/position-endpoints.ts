import type { Endpoint } from './endpoint.ts'
import { marksAnswer } from './marks.ts'
import { positionsAnswer } from './positions.ts'

/** Calls about active positions: which there are, and what they are worth. */
export const positionEndpoints = {
  positions: {
    method: 'GET',
    path: '/v1/positions',
    answer: positionsAnswer,
  },
  marks: {
    method: 'GET',
    path: '/v1/marks',
    answer: marksAnswer,
  },
} as const satisfies Record<string, Endpoint>
