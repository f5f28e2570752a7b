import { QueryClientProvider } from '@tanstack/react-query'
import { SessionProvider } from '../features/session/session-provider.tsx'
import { queryClient } from '../lib/query-client.ts'
import type { Elements } from '../ui/elements.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { LiveUpdates } from './live-updates.ts'
import { OfflineNotice } from './offline-notice.tsx'
import { Toaster } from './toaster.tsx'

const restoreSeen = () => import('./live/seen.ts').then(({ restoreSeen }) => restoreSeen(queryClient))

/** What every screen stands on: cache, session, toasts, and the last resort. */
export function Providers({ children }: { children: Elements }) {
  return (
    <ErrorBoundary className="m-6">
      <QueryClientProvider client={queryClient}>
        <SessionProvider restoreSeen={restoreSeen}>
          {children}
          <LiveUpdates />
        </SessionProvider>
        <OfflineNotice />
        <ErrorBoundary>
          <Toaster />
        </ErrorBoundary>
      </QueryClientProvider>
    </ErrorBoundary>
  )
}
