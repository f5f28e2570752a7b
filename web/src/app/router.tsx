import { webPaths } from '@tradepost/contract/web-paths'
import { type ReactNode, Suspense, useLayoutEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { endEarlyPage } from '../lib/early-page.ts'
import { matchPath } from '../lib/match-path.ts'
import { BrowserRouter, Navigate, RouteParameters, useLocation } from '../lib/router.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { LeadOut, SignedInOnly, SignedOutOnly } from './guards.tsx'
import { type Access, routes } from './routes.ts'
import { type ScreenName, screens } from './screens.ts'
import { Shell } from './shell.tsx'
import { useArrival, useTitle } from './use-arrival.ts'
import { VisitorFrame } from './visitor-frame.tsx'

/** Every route of the product (docs/specification.md section 2). */
export function Router() {
  return (
    <BrowserRouter>
      <LeadOut />
      <Frame>
        <CurrentRoute />
      </Frame>
    </BrowserRouter>
  )
}

/** The frame around a screen depends on whether the person is signed in; the landing page has a separate one. */
function Frame({ children }: { children: ReactNode }) {
  const { status } = useSession()
  const { pathname } = useLocation()
  useArrival()
  if (status === 'signed_in') return <Shell>{children}</Shell>
  if (pathname === webPaths.home) return <Suspense fallback={null}>{children}</Suspense>
  return <VisitorFrame>{children}</VisitorFrame>
}

function CurrentRoute() {
  const { pathname } = useLocation()
  if (pathname === webPaths.home) return <Home />
  // Not in the route table, but people will type it (decision G-06).
  if (pathname === '/feedback') return <Navigate to={`${webPaths.account}#feedback`} replace />
  for (const { path, screen, title, access } of routes) {
    const parameters = matchPath(path, pathname)
    if (parameters === null) continue
    return (
      <RouteParameters value={parameters}>
        <Guarded access={access}>
          <Screen name={screen} title={title} />
        </Guarded>
      </RouteParameters>
    )
  }
  return <Screen name="notFound" title="Not found" />
}

/** Signed in: positions. Signed out: the landing page (docs/specification.md section 2). */
function Home() {
  const { status } = useSession()
  if (status === 'signed_in') return <Screen name="positions" title="Positions" />
  return <Screen name="landing" title="" />
}

function Guarded({ access, children }: { access: Access; children: ReactNode }) {
  if (access === 'signed_in') return <SignedInOnly>{children}</SignedInOnly>
  if (access === 'signed_out') return <SignedOutOnly>{children}</SignedOutOnly>
  return children
}

function Screen({ name, title }: { name: ScreenName; title: string }) {
  useTitle(title)
  const { pathname } = useLocation()
  const { Component } = screens[name]
  // Of another trader, another screen: nothing typed or chosen on one shall be left on the next.
  return (
    <ErrorBoundary key={pathname}>
      <Component />
      <Drawn />
    </ErrorBoundary>
  )
}

/** Stands beside a screen: its effect comes in the frame in which the screen is there. */
function Drawn() {
  useLayoutEffect(endEarlyPage, [])
  return null
}
