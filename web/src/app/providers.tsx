import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SessionProvider } from '../features/session/session-provider.tsx'
import { queryClient } from '../lib/query-client.ts'
import { usePart } from '../lib/use-part.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Toaster } from './toaster.tsx'

/** Fetched behind the first screen, so that it is there before it is needed and weighs nothing until then. */
const loadNotice = () => import('./offline-notice.tsx')

/** What every screen stands on: cache, session, toasts, and the last resort. */
export function Providers({ children }: { children: ReactNode }) {
  const offline = usePart(loadNotice, true)
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <SessionProvider>{children}</SessionProvider>
        {offline.code && <offline.code.OfflineNotice />}
        <Toaster />
      </QueryClientProvider>
    </ErrorBoundary>
  )
}
