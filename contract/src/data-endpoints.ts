import { exportAnswer } from './data-export.ts'
import type { Endpoint } from './endpoint.ts'

/** Calls about everything that is kept about oneself. */
export const dataEndpoints = {
  requestExport: {
    method: 'POST',
    path: '/v1/accounts/export',
    status: 201,
    answer: exportAnswer,
  },
} as const satisfies Record<string, Endpoint>
