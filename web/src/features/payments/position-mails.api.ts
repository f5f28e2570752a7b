import { useMutation, useQueryClient } from '@tanstack/react-query'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'

/**
 * Turns the mails about positions of all traders on or off (rule G-120): at once on the screen, and back, with a toast, when it could not
 * be done. Several changes in a row are sent one after the other, and the last one determines what is shown.
 */
export function usePositionMailsSwitch() {
  const client = useQueryClient()
  const mutationKey = ['position-mails']
  const isLast = () => client.isMutating({ mutationKey }) === 1
  function show(positionMails: boolean): void {
    client.setQueryData(subscriptionsQuery.queryKey, (answer) => answer && { ...answer, positionMails })
  }
  return useMutation({
    mutationKey,
    scope: { id: 'position-mails' },
    mutationFn: (enabled: boolean) => call(paymentEndpoints.switchPositionMails, { enabled }),
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: subscriptionsQuery.queryKey })
      show(enabled)
    },
    onSuccess: ({ positionMails }) => {
      if (isLast()) show(positionMails)
    },
    onError: (error, enabled) => {
      toast.error(messageOf(error))
      if (!isLast()) return
      show(!enabled)
      // Whether it was done before the answer got lost, only the server knows.
      void makeStale(client, subscriptionsQuery.queryKey)
    },
  })
}
