import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { activityEndpoints } from '@tradepost/contract/activity-endpoints'
import { call } from '../../lib/api.ts'
import { ACTIVITY, unreadQuery } from './unread.api.ts'

/**
 * The events to which the viewer was entitled, page after page, asked again whenever the list is shown; one try a page.
 * @param item the item that the first page is to show; null for the newest
 */
export function activityQuery(item: string | null) {
  return infiniteQueryOptions({
    queryKey: [ACTIVITY, 'list', item],
    queryFn: ({ signal, pageParam }) => {
      const first = item === null ? {} : { item }
      return call(activityEndpoints.activity, pageParam === null ? first : { after: pageParam }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    retry: false,
  })
}

/** Marks as read what a page was answered with; a failure leaves it unread, for the next time. */
export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (seen: string) => call(activityEndpoints.markActivityRead, { seen }),
    onSuccess: async (answer) => {
      await client.cancelQueries({ queryKey: unreadQuery.queryKey })
      client.setQueryData(unreadQuery.queryKey, answer)
    },
  })
}

/** How the mails of the viewer's latest events went; one try. */
export const mailingsQuery = queryOptions({
  queryKey: [ACTIVITY, 'mailings'],
  queryFn: ({ signal }) => call(activityEndpoints.mailings, undefined, signal),
  retry: false,
})
