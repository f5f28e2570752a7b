import type { Endpoint } from './endpoint.ts'
import { marksAnswer } from './marks.ts'
import { closeAnswer, closePayload, openAnswer, openPayload, positionsAnswer } from './positions.ts'
import { previewPayload, pricePreview } from './quotes.ts'

/** Calls about active positions: publishing them, and what they are worth. */
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
  marks: {
    method: 'GET',
    path: '/v1/marks',
    answer: marksAnswer,
  },
} as const satisfies Record<string, Endpoint>
