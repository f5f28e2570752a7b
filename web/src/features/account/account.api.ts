import { queryOptions } from '@tanstack/react-query'
import { accountEndpoints } from '@tradepost/contract/account-endpoints'
import { ACCOUNT_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'

/** The signed-in account; one try (docs/specification.md section 9). */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => call(accountEndpoints.configuration, undefined, signal),
  ...triedOnce(ACCOUNT_FRESH_MS),
})
