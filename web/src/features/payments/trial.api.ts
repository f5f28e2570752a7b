import { useMutation, useQueryClient } from '@tanstack/react-query'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'

/** Ends a subscription with its trial, and shows it in the list at once (rule G-123). */
export function useEndTrial(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(paymentEndpoints.endTrial, { id }),
    onSuccess: ({ endsAt }) =>
      client.setQueryData(
        subscriptionsQuery.queryKey,
        (answer) =>
          answer && {
            ...answer,
            subscriptions: answer.subscriptions.map((one) => (one.id === id ? { ...one, endsAt } : one)),
          },
      ),
    onError: (error) => {
      toast.error(messageOf(error))
      // Whether it was done before the answer got lost, only the server knows.
      void makeStale(client, subscriptionsQuery.queryKey)
    },
  })
}
