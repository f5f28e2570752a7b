import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { activityEndpoints } from '@tradepost/contract/activity-endpoints'
import { call } from '../../lib/api.ts'
import { ACTIVITY, activityKey } from './activity-keys.ts'

/**
 * The events to which the viewer was entitled, page after page, asked again whenever the list is shown; one try a page.
 * @param item the item that the first page is to show; null for the newest
 * @param trader username of the one whose events alone are meant; null for all
 */
export function activityQuery(item: string | null, trader: string | null = null) {
  return infiniteQueryOptions({
    queryKey: activityKey(item, trader),
    queryFn: ({ signal, pageParam }) => {
      const first = item === null ? {} : { item }
      const page = pageParam === null ? first : { after: pageParam }
      return call(activityEndpoints.activity, { ...page, ...(trader !== null && { trader }) }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    retry: false,
  })
}

/** How the mails of the viewer's latest events went; one try. */
export const mailingsQuery = queryOptions({
  queryKey: [ACTIVITY, 'mailings'],
  queryFn: ({ signal }) => call(activityEndpoints.mailings, undefined, signal),
  retry: false,
})
