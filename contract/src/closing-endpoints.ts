import { closedAnswer, closePayload, closingAnswer } from './closing.ts'
import type { Endpoint } from './endpoint.ts'

/** Closing the account (rule G-117). */
export const closingEndpoints = {
  closing: { method: 'GET', path: '/v1/accounts/closing', answer: closingAnswer },
  closeAccount: { method: 'POST', path: '/v1/accounts/close', body: closePayload, answer: closedAnswer },
} as const satisfies Record<string, Endpoint>
