import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { usernameEndpoints } from '@tradepost/contract/username-endpoints'
import { call } from '../../lib/api.ts'
import { messageOf } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { accountQuery } from './account.api.ts'

/** Keeps what stands about oneself on the profile; a loaded profile is asked for again. */
export function useSetAbout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (about: string) => call(usernameEndpoints.setAbout, { about }),
    onSuccess: async ({ about }) => {
      await client.cancelQueries({ queryKey: accountQuery.queryKey })
      client.setQueryData(accountQuery.queryKey, (account) => account && { ...account, about })
      toast.success(about === '' ? 'Your text has been taken away.' : 'Your text is on your profile.')
      void makeStale(client, PROFILES)
    },
  })
}

/** First words of the keys of profiles. */
const PROFILES = ['positions', 'profile']

/** Shows the number of followers on the profile or not: at once on the screen, and back, with a toast, when it could not be done. */
export function useFollowersSwitch() {
  return useAccountSwitch('followersShown', async (shown) => {
    const { followersShown } = await call(usernameEndpoints.showFollowers, { shown })
    return followersShown
  })
}

/** Turns one's own public page on or off, in the same way. */
export function usePublicPageSwitch() {
  return useAccountSwitch('publicPage', async (enabled) => {
    const { publicPage } = await call(usernameEndpoints.switchPublicPage, { enabled })
    return publicPage
  })
}

/** @param field of the account @param turn answers how it stands then */
function useAccountSwitch(
  field: keyof Pick<Account, 'followersShown' | 'publicPage'>,
  turn: (isOn: boolean) => Promise<boolean>,
) {
  const client = useQueryClient()
  const { queryKey } = accountQuery
  const mutationKey = ['account-switch', field]
  const isLast = () => client.isMutating({ mutationKey }) === 1
  const show = (isOn: boolean) =>
    client.setQueryData(queryKey, (account) => account && { ...account, [field]: isOn })
  return useMutation({
    mutationKey,
    // Several changes in a row are sent one after the other.
    scope: { id: field },
    mutationFn: turn,
    onMutate: async (isOn: boolean) => {
      await client.cancelQueries({ queryKey })
      show(isOn)
    },
    onSuccess: (isOn) => {
      if (isLast()) show(isOn)
      void makeStale(client, PROFILES)
    },
    onError: (error, isOn) => {
      toast.error(messageOf(error))
      if (!isLast()) return
      show(!isOn)
      void makeStale(client, queryKey)
    },
  })
}
