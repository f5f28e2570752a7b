import { useMutation, useQueryClient } from '@tanstack/react-query'
import { activityEndpoints } from '@tradepost/contract/activity-endpoints'
import { call } from '../../lib/api.ts'
import { unreadQuery } from './unread.api.ts'

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
