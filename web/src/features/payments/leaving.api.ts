import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { SUBSCRIPTIONS } from './payment-keys.ts'

/** The viewer's ways out of a subscription, and the result of each; of this moment, so nothing of it is kept (rule G-126). */
export function leavingQuery(id: string) {
  return queryOptions({
    queryKey: ['leaving', id],
    queryFn: ({ signal }) => call(paymentEndpoints.leaving, { id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Does one thing about a subscription and has the list asked for again, also where the answer was lost. */
function useLeavingCall<Sent, Answer>(act: (sent: Sent) => Promise<Answer>, done: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: () => {
      toast.success(done)
    },
    onError: (error) => {
      toast.error(messageOf(error))
    },
    onSettled: () => makeStale(client, [SUBSCRIPTIONS]),
  })
}

/** Ends it with the time that is paid. */
export function useCancel(id: string) {
  return useLeavingCall(() => call(paymentEndpoints.cancelSubscription, { id }), 'Canceled')
}

/** Takes that back. */
export function useKeep(id: string) {
  return useLeavingCall(() => call(paymentEndpoints.keepSubscription, { id }), 'It goes on')
}

/** Ends it at once and returns money: the amounts of `asOf`, as they were shown. */
export function useWithdraw(id: string) {
  return useLeavingCall(
    (asOf: string) => call(paymentEndpoints.withdraw, { id, asOf }),
    'Withdrawn, and the money is on its way',
  )
}
