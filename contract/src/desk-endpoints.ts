import { traderDesk, traderPayouts } from './desk.ts'
import type { Endpoint } from './endpoint.ts'

/** Calls of the trader's desk. Apart, so that what waits for Stripe keeps nothing else waiting. */
export const deskEndpoints = {
  desk: {
    method: 'GET',
    path: '/v1/accounts/desk',
    answer: traderDesk,
  },
  payouts: {
    method: 'GET',
    path: '/v1/accounts/desk/payouts',
    answer: traderPayouts,
    asksProvider: true,
  },
} as const satisfies Record<string, Endpoint>
