import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { usePart } from '../lib/use-part.ts'

const loadStartLive = () => import('./live/start-live.ts').then(({ startLive }) => startLive)

/** Has a signed-in page follow what is published; fetched apart, since no screen waits for it. */
export function LiveUpdates(): null {
  const session = useSession()
  const client = useQueryClient()
  const userId = session.status === 'signed_in' ? session.userId : null
  const { code: startLive } = usePart(loadStartLive, userId !== null)
  useEffect(() => {
    if (startLive === null || userId === null) return
    const ending = new AbortController()
    startLive(client, userId, ending.signal)
    return () => ending.abort()
  }, [startLive, client, userId])
  return null
}
