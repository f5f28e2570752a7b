import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { TraderResults } from '@tradepost/contract/following'
import { followingEndpoints } from '@tradepost/contract/following-endpoints'
import { POSITIONS_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale, triedOnce } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'

/** The results of following for the viewer; a close changes them, as everything whose key begins with this word. */
export const followingQuery = queryOptions({
  queryKey: ['positions', 'following'],
  queryFn: ({ signal }) => call(followingEndpoints.followingResults, undefined, signal),
  ...triedOnce(POSITIONS_FRESH_MS),
})

/** Of one trader, however the name is spelled. */
export function resultsOf(
  traders: readonly TraderResults[] | undefined,
  username: string,
): TraderResults | undefined {
  return traders?.find((trader) => trader.username.toLowerCase() === username.toLowerCase())
}

/** Turns the mail before a renewal on or off: at once on the screen, and back, with a toast, when it could not be done. */
export function useRenewalMailSwitch() {
  const client = useQueryClient()
  const mutationKey = ['renewal-mail']
  const isLast = () => client.isMutating({ mutationKey }) === 1
  function show(renewalMail: boolean): void {
    client.setQueryData(followingQuery.queryKey, (results) => results && { ...results, renewalMail })
  }
  return useMutation({
    mutationKey,
    scope: { id: 'renewal-mail' },
    mutationFn: (enabled: boolean) => call(followingEndpoints.switchRenewalMail, { enabled }),
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: followingQuery.queryKey })
      show(enabled)
    },
    onSuccess: ({ renewalMail }) => {
      if (isLast()) show(renewalMail)
    },
    onError: (error, enabled) => {
      toast.error(messageOf(error))
      if (!isLast()) return
      show(!enabled)
      // Whether it was done before the answer got lost, only the server knows.
      void makeStale(client, followingQuery.queryKey)
    },
  })
}
