import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import { settings } from '../lib/settings.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { ActivityLink } from './activity-link.tsx'
import { NewerVersionNotice } from './newer-version-notice.tsx'
import { ScreenSkeleton } from './screen-skeleton.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

/**
 * Everything around a signed-in screen: navigation, header area, and content of at most 1080 px (docs/specification.md section
 * 2).
 */
export function Shell({ children }: { children: ReactNode }) {
  // Held here, so that it stays fresh for its ten minutes however the screens come and go (decision G-75).
  useQuery(accountQuery)
  return (
    <div className="md:flex">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-primary px-4 py-2 text-primary-foreground focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <ErrorBoundary>
        <Sidebar />
      </ErrorBoundary>
      <ErrorBoundary>
        <TopBar />
      </ErrorBoundary>
      <div className="min-w-0 flex-1">
        <header className="mx-auto hidden h-16 w-full max-w-[1128px] items-center justify-between gap-4 px-6 md:flex print:hidden">
          <SandboxLine />
          <div className="ml-auto flex">
            <ErrorBoundary>
              <ActivityLink />
              <ThemeMenu />
            </ErrorBoundary>
          </div>
        </header>
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1128px] px-4 pt-4 pb-16 outline-none md:px-6"
        >
          <div className="mb-4 empty:hidden md:hidden">
            <SandboxLine />
          </div>
          <NewerVersionNotice />
          <Suspense fallback={<ScreenSkeleton />}>{children}</Suspense>
        </main>
      </div>
    </div>
  )
}

/** Nobody shall take the simulated market for a real one (decision G-10). */
function SandboxLine() {
  if (settings.sandbox === null || settings.marketOverride === null) return null
  return <p className="text-sm text-muted-foreground">Sandbox: no real money, the market is always open</p>
}
