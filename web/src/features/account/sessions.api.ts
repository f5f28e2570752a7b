import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { sessionEndpoints } from '@tradepost/contract/session-endpoints'
import type { Session } from '@tradepost/contract/sessions'
import { useEffect } from 'react'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { authClient } from '../../lib/auth-client.ts'
import { toast } from '../../ui/toast.ts'

/** Where the person is signed in: asked whenever it is shown, since a list of yesterday calms for nothing. */
const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call(sessionEndpoints.sessions, undefined, signal)).sessions,
  retry: false,
})

/** The sessions, asked for again once a second step was given or removed: that ends sessions, or changes them. */
export function useSessions() {
  const client = useQueryClient()
  useEffect(() => {
    const { data } = authClient.onAuthStateChange((event) => {
      if (event !== 'MFA_CHALLENGE_VERIFIED' && event !== 'TOKEN_REFRESHED') return
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    })
    return () => data.subscription.unsubscribe()
  }, [client])
  return useQuery(sessionsQuery)
}

/**
 * Ends another session; it is gone from the list as soon as the server confirms it. One that had ended before is as good.
 * @param onEnded called then, although its row has gone
 */
export function useEndSession(onEnded: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id }: Session) => {
      await call(sessionEndpoints.endSession, { id }).catch((error: unknown) => {
        if (!(error instanceof ApiRefusal && error.code === 'not_found')) throw error
      })
    },
    onSuccess: async (_, ended) => {
      await client.cancelQueries({ queryKey: sessionsQuery.queryKey })
      client.setQueryData(sessionsQuery.queryKey, (sessions) => sessions?.filter(({ id }) => id !== ended.id))
      onEnded()
      toast.success(`Session ended: ${ended.seenFrom.device}.`)
    },
  })
}
