import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Account } from '@tradepost/contract/accounts'
import { usernameEndpoints } from '@tradepost/contract/username-endpoints'
import { call } from '../../lib/api.ts'
import { makeStale } from '../../lib/query-client.ts'
import { forgetDraft } from '../../lib/use-draft.ts'
import { useSwitch } from '../../lib/use-switch.ts'
import { toast } from '../../ui/toast.ts'
import { accountQuery } from './account.api.ts'

export const ABOUT_DRAFT = 'about'
/** An emptied text is a draft too. */
export const UNTOUCHED_ABOUT = { text: '', isTouched: false }

/** Keeps what stands about oneself on the profile; a loaded profile is asked for again. */
export function useSetAbout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (about: string) => call(usernameEndpoints.setAbout, { about }),
    onSuccess: async ({ about }, sent) => {
      await client.cancelQueries({ queryKey: accountQuery.queryKey })
      client.setQueryData(accountQuery.queryKey, (account) => account && { ...account, about })
      // Somebody may have typed on meanwhile.
      forgetDraft<typeof UNTOUCHED_ABOUT>(ABOUT_DRAFT, ({ text }) => text === sent)
      toast.success(about === '' ? 'Your text has been taken away.' : 'Your text is on your profile.')
      void makeStale(client, PROFILES)
    },
  })
}

/** First words of the keys of profiles. */
const PROFILES = ['positions', 'profile']

/** Shows the number of followers on the profile or not. */
export function useFollowersSwitch() {
  return useAccountSwitch('followersShown', async (shown) => {
    const { followersShown } = await call(usernameEndpoints.showFollowers, { shown })
    return followersShown
  })
}

/** Turns one's own public page on or off. */
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
  return useSwitch<Account>({
    name: field,
    onFailure: (message) => toast.error(message),
    queryKey: accountQuery.queryKey,
    turn,
    turned: (account, isOn) => ({ ...account, [field]: isOn }),
    onTurned: () => void makeStale(client, PROFILES),
  })
}
