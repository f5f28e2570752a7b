import type { Endpoint } from './endpoint.ts'
import { closeAnswer, closePayload, openAnswer, openPayload } from './positions.ts'
import { previewPayload, pricePreview } from './quotes.ts'

/** Calls by which positions are published. */
export const tradeEndpoints = {
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
} as const satisfies Record<string, Endpoint>
