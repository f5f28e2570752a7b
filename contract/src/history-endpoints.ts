import type { Endpoint } from './endpoint.ts'
import { positionHistoryAnswer, positionParams } from './position-history.ts'

/** The call of a position's window. */
export const historyEndpoints = {
  positionHistory: {
    method: 'GET',
    path: '/v1/traders/:username/positions/:id/history',
    params: positionParams,
    answer: positionHistoryAnswer,
  },
} as const satisfies Record<string, Endpoint>
