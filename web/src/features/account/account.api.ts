import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { accountEndpoints } from '@tradepost/contract/account-endpoints'
import { ACCOUNT_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { makeStale, triedOnce } from '../../lib/query-client.ts'

/** The signed-in account; one try (docs/specification.md section 9). */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => call(accountEndpoints.configuration, undefined, signal),
  ...triedOnce(ACCOUNT_FRESH_MS),
})

/** Sets the username, once; the loaded account has it as soon as the server does. */
export function useSetUsername() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (username: string) => call(accountEndpoints.setUsername, { username }),
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
