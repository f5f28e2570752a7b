import { useMutation, useQueryClient } from '@tanstack/react-query'
import { usernameEndpoints } from '@tradepost/contract/username-endpoints'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { accountQuery } from './account.api.ts'

/** Sets the username, once; the loaded account has it as soon as the server does. */
export function useSetUsername() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (username: string) => call(usernameEndpoints.setUsername, { username }),
    onSuccess: async ({ username }) => {
      await client.cancelQueries({ queryKey: accountQuery.queryKey })
      client.setQueryData(accountQuery.queryKey, (account) => account && { ...account, username })
    },
    onError: (error) => {
      // Set in another tab meanwhile: look again, so that the field shows it.
      if (error instanceof ApiRefusal && error.code === 'username_already_set') {
        void makeStale(client, accountQuery.queryKey)
      }
    },
  })
}
