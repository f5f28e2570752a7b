import { account } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'

/** The call that every screen makes. */
export const accountEndpoints = {
  configuration: {
    method: 'GET',
    path: '/v1/accounts/configuration',
    answer: account,
  },
} as const satisfies Record<string, Endpoint>
