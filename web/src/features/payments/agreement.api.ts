import { useMutation, useQueryClient } from '@tanstack/react-query'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'

/**
 * Agrees to the price that a trader proposes to the viewer, by its amount, or takes that back with null (rule G-122). Shown once the server
 * has answered: it is about money. Where the server refuses, the list is asked for again.
 */
export function useAgreement({ id }: Pick<SubscriptionItem, 'id'>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (priceCents: number | null) => call(paymentEndpoints.agreeToPrice, { id, priceCents }),
    onSuccess: async ({ newPrice }) => {
      await client.cancelQueries({ queryKey: subscriptionsQuery.queryKey })
      client.setQueryData(
        subscriptionsQuery.queryKey,
        (answer) =>
          answer && {
            ...answer,
            subscriptions: answer.subscriptions.map(({ newPrice: before, ...one }) =>
              one.id === id
                ? { ...one, ...(newPrice && { newPrice }) }
                : { ...one, ...(before && { newPrice: before }) },
            ),
          },
      )
    },
    onError: (error) => {
      toast.error(messageOf(error))
      void makeStale(client, subscriptionsQuery.queryKey)
    },
  })
}
