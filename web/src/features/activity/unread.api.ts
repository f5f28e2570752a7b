import { queryOptions } from '@tanstack/react-query'
import { unreadEndpoints } from '@tradepost/contract/unread-endpoints'
import { call } from '../../lib/api.ts'
import { ACTIVITY } from './activity-keys.ts'

const FRESH_MS = 60_000

/** How many items are unread; one try, since the next screen asks again. */
export const unreadQuery = queryOptions({
  queryKey: [ACTIVITY, 'unread'],
  queryFn: ({ signal }) => call(unreadEndpoints.unreadActivity, undefined, signal),
  staleTime: FRESH_MS,
  retry: false,
})
