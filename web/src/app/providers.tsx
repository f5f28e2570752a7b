import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SessionProvider } from '../features/session/session-provider.tsx'
import { queryClient } from '../lib/query-client.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { LiveUpdates } from './live-updates.ts'
import { OfflineNotice } from './offline-notice.tsx'
import { Toaster } from './toaster.tsx'

/** What every screen stands on: cache, session, toasts, and the last resort. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <SessionProvider>
          {children}
          <LiveUpdates />
        </SessionProvider>
        <OfflineNotice />
        <Toaster />
      </QueryClientProvider>
    </ErrorBoundary>
  )
}
