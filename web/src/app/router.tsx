import type { PathParameters } from '@tradepost/contract/match-path'
import { type ShownScreen, type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import { Suspense, useLayoutEffect } from 'react'
import { useSession } from '../features/session/session-provider.tsx'
import { endEarlyPage } from '../lib/early-page.ts'
import { BrowserRouter, RouteParameters, useLocation } from '../lib/router.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { findRoute } from './find-route.ts'
import { LeadOn, LeadOut } from './guards.tsx'
import { Layers } from './layers.tsx'
import { screens } from './screens.ts'
import { Shell } from './shell.tsx'
import { useArrival, useTitle } from './use-arrival.ts'
import { VisitorFrame } from './visitor-frame.tsx'

const ROUTES: readonly WebRoute[] = Object.values(webRoutes)

/** Every page of the product. @param routes another route table, for tests */
export function Router({ routes = ROUTES }: { routes?: readonly WebRoute[] }) {
  return (
    <BrowserRouter>
      <LeadOut />
      <Layers>
        <CurrentRoute routes={routes} />
      </Layers>
    </BrowserRouter>
  )
}

function CurrentRoute({ routes }: { routes: readonly WebRoute[] }) {
  const isSignedIn = useSession().status === 'signed_in'
  const { pathname } = useLocation()
  useArrival()
  const found = findRoute(routes, pathname, isSignedIn)
  const content =
    'shown' in found ? (
      <RouteParameters value={found.parameters}>
        <Screen {...found.shown} title={titleOf(found)} />
      </RouteParameters>
    ) : (
      <LeadOn to={found.leadsTo} />
    )
  if (isSignedIn) return <Shell>{content}</Shell>
  // The landing page has a separate frame.
  if ('shown' in found && found.shown.screen === 'landing')
    return <Suspense fallback={null}>{content}</Suspense>
  return <VisitorFrame>{content}</VisitorFrame>
}

/** With the segment of the path that it names. */
function titleOf({ shown, parameters }: { shown: ShownScreen; parameters: PathParameters }): string {
  return shown.title.replace(':username', () => parameters.username ?? '')
}

function Screen({ screen, title }: ShownScreen) {
  useTitle(title)
  const { pathname } = useLocation()
  const { Component } = screens[screen]
  // Each trader has a screen of their own: no text typed for one trader shall be left on the next.
  return (
    <ErrorBoundary key={pathname} className="m-6">
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
