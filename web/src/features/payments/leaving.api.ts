import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { formatMoney } from '@tradepost/contract/money'
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

/** Called with true when a press is about to change the subscription's row, and with false where it did not. */
export type Expect = (isExpected: boolean) => void

/** Does one thing about a subscription and has the list asked for again, also where the answer was lost. */
function useLeavingCall<Sent, Answer>(
  act: (sent: Sent) => Promise<Answer>,
  done: (answer: Answer) => string,
  expect: Expect,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onMutate: () => expect(true),
    onSuccess: (answer) => {
      toast.success(done(answer))
    },
    onError: (error) => {
      expect(false)
      toast.error(messageOf(error))
    },
    onSettled: () => makeStale(client, [SUBSCRIPTIONS]),
  })
}

/** Ends it with the time that is paid. */
export function useCancel(id: string, expect: Expect) {
  return useLeavingCall(
    () => call(paymentEndpoints.cancelSubscription, { id }),
    () => 'Canceled',
    expect,
  )
}

/** Ends it with its free days (rule G-123). */
export function useEndTrial(id: string, expect: Expect) {
  return useLeavingCall(
    () => call(paymentEndpoints.endTrial, { id }),
    () => 'Your trial ends with its free days',
    expect,
  )
}

/** Takes that back. */
export function useKeep(id: string, expect: Expect) {
  return useLeavingCall(
    () => call(paymentEndpoints.keepSubscription, { id }),
    () => 'It goes on',
    expect,
  )
}

/** Ends it at once and returns money: the amounts of `asOf`, as they were shown. */
export function useWithdraw(id: string, expect: Expect) {
  return useLeavingCall(
    (asOf: string) => call(paymentEndpoints.withdraw, { id, asOf }),
    ({ currency, returnsCents }) =>
      returnsCents === 0
        ? 'Withdrawn'
        : `Withdrawn, and ${formatMoney(returnsCents, currency)} is on its way back`,
    expect,
  )
}
