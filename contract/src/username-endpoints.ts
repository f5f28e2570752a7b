import { usernameAnswer, usernamePayload } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'

/** The call that sets one's own name. */
export const usernameEndpoints = {
  setUsername: {
    method: 'POST',
    path: '/v1/accounts/username',
    body: usernamePayload,
    answer: usernameAnswer,
  },
} as const satisfies Record<string, Endpoint>
