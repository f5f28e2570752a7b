import { queryOptions } from '@tanstack/react-query'
import type { FollowingResults, TraderResults } from '@tradepost/contract/following'
import { followingEndpoints } from '@tradepost/contract/following-endpoints'
import { POSITIONS_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'
import { useSwitch } from '../../lib/use-switch.ts'
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

/** Turns the mail before a renewal on or off. */
export function useRenewalMailSwitch() {
  return useSwitch<FollowingResults>({
    name: 'renewal mail',
    onFailure: (message) => toast.error(message),
    queryKey: followingQuery.queryKey,
    turn: async (enabled) => (await call(followingEndpoints.switchRenewalMail, { enabled })).renewalMail,
    turned: (results, renewalMail) => ({ ...results, renewalMail }),
  })
}
