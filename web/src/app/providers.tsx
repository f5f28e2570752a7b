import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useEffect } from 'react'
import { SessionProvider, useSession } from '../features/session/session-provider.tsx'
import { queryClient } from '../lib/query-client.ts'
import { useOnline } from '../lib/use-online.ts'
import { usePart } from '../lib/use-part.ts'
import { isLaterVisit } from '../lib/visits.ts'
import type { Elements } from '../ui/elements.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Toaster } from './toaster.tsx'

const loadStartLive = () => import('./live/start-live.ts').then(({ startLive }) => startLive)

const loadInstallLine = () => import('./live/install-line.tsx')

const restoreSeen = () => import('./live/restore-seen.ts').then(({ restoreSeen }) => restoreSeen(queryClient))

/** The base of every screen: cache, session, toasts, and the last resort. */
export function Providers({ children }: { children: Elements }) {
  return (
    <ErrorBoundary className="m-6">
      <QueryClientProvider client={queryClient}>
        <SessionProvider restoreSeen={restoreSeen}>
          {children}
          <LiveUpdates />
          <InstallOffer />
        </SessionProvider>
        <OfflineNotice />
        <ErrorBoundary>
          <Toaster />
        </ErrorBoundary>
      </QueryClientProvider>
    </ErrorBoundary>
  )
}

/** Has a signed-in page follow what is published; fetched apart, since no screen waits for it. */
function LiveUpdates(): null {
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

/** The offer to install the app, from the second visit on: the first one asks for nothing. */
function InstallOffer() {
  const isSignedIn = useSession().status === 'signed_in'
  const { code } = usePart(loadInstallLine, isSignedIn && isLaterVisit())
  return isSignedIn && code && <code.InstallLine />
}

/**
 * Shows at the lower edge, for as long as it lasts, that there is no network. It covers nothing that cannot be scrolled to, and
 * moves nothing. Its live region is in the page before its words, or screen readers would not speak them.
 */
function OfflineNotice() {
  const online = useOnline()
  return (
    <div role="status" data-slot="offline-notice" data-online={online} className="peer">
      {!online && (
        <p className="fixed inset-x-4 bottom-3 z-50 mx-auto flex w-fit items-center gap-2.5 rounded-lg border border-border bg-secondary px-4 py-2 text-sm text-secondary-foreground shadow-xl">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          <span>You are offline. What you see is kept, and refreshed once you are back.</span>
        </p>
      )}
    </div>
  )
}
