import { queryOptions } from '@tanstack/react-query'
import { deskEndpoints } from '@tradepost/contract/desk-endpoints'
import { SUBSCRIPTIONS_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'
import { DESK, PAYOUTS } from './payment-keys.ts'

/** The followers of the signed-in trader, and their payments; as fresh as the subscriptions it counts. */
export const deskQuery = queryOptions({
  queryKey: [DESK],
  queryFn: ({ signal }) => call(deskEndpoints.desk, undefined, signal),
  staleTime: SUBSCRIPTIONS_FRESH_MS,
})

/** As long as the server keeps Stripe's answer. */
const PAYOUTS_FRESH_MS = 60_000

/** The money that Stripe holds for the signed-in trader; it can take some seconds, so that nothing else waits for it. */
export const payoutsQuery = queryOptions({
  queryKey: [PAYOUTS],
  queryFn: ({ signal }) => call(deskEndpoints.payouts, undefined, signal),
  ...triedOnce(PAYOUTS_FRESH_MS),
})
