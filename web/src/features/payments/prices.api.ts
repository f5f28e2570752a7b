import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { PAYOUT_STATUS_FRESH_MS } from '@tradepost/contract/limits'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import type { TrialDays } from '@tradepost/contract/trial'
import type { TypedPrices } from '@tradepost/contract/typed-prices'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { makeStale, triedOnce } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { payoutStatusQuery } from './payout-status.api.ts'

/** The viewer's own prices, for a trader; one try. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => call(paymentEndpoints.prices, undefined, signal),
  ...triedOnce(PAYOUT_STATUS_FRESH_MS),
})

/** Names the viewer's prices, the free days of new followers, or both; several changes are sent one after the other. A refusal that comes of something older than the page makes that be asked for again. */
export function useSetPrices() {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'prices' },
    mutationFn: (named: Partial<TypedPrices> & { currency: string; trialDays?: TrialDays | null }) =>
      call(paymentEndpoints.setPrices, named),
    onSuccess: async (prices) => {
      await client.cancelQueries({ queryKey: pricesQuery.queryKey })
      client.setQueryData(pricesQuery.queryKey, prices)
      toast.success('Your price is saved.')
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return
      if (error.code === 'price_currency') void makeStale(client, pricesQuery.queryKey)
      if (error.code === 'onboarding_incomplete') void makeStale(client, payoutStatusQuery.queryKey)
    },
  })
}
