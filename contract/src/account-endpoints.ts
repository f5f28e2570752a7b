import { account, usernameAnswer, usernamePayload } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'

/** Calls about one’s own name and roles. */
export const accountEndpoints = {
  configuration: {
    method: 'GET',
    path: '/v1/accounts/configuration',
    answer: account,
  },
  setUsername: {
    method: 'POST',
    path: '/v1/accounts/username',
    body: usernamePayload,
    answer: usernameAnswer,
  },
} as const satisfies Record<string, Endpoint>
