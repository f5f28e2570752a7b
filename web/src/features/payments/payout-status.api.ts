import { queryOptions } from '@tanstack/react-query'
import { PAYOUT_STATUS_FRESH_MS } from '@tradepost/contract/limits'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'
import { PAYOUT_STATUS } from './payment-keys.ts'

/** Whether payouts are complete; one try (docs/specification.md section 9). */
export const payoutStatusQuery = queryOptions({
  queryKey: [PAYOUT_STATUS],
  queryFn: ({ signal }) => call(paymentEndpoints.payoutStatus, undefined, signal),
  ...triedOnce(PAYOUT_STATUS_FRESH_MS),
})
