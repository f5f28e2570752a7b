import type { Endpoint } from './endpoint.ts'
import { closeAnswer, closePayload, openAnswer, openPayload, positionsAnswer } from './positions.ts'
import { previewPayload, pricePreview } from './quotes.ts'

/** Calls about positions and what publishing one takes. */
export const positionEndpoints = {
  preview: {
    method: 'POST',
    path: '/v1/positions/preview',
    body: previewPayload,
    answer: pricePreview,
  },
  openPosition: {
    method: 'POST',
    path: '/v1/positions/open',
    body: openPayload,
    status: 201,
    answer: openAnswer,
  },
  closePosition: {
    method: 'POST',
    path: '/v1/positions/close',
    body: closePayload,
    answer: closeAnswer,
  },
  positions: {
    method: 'GET',
    path: '/v1/positions',
    answer: positionsAnswer,
  },
} as const satisfies Record<string, Endpoint>
