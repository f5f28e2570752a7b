import { matchPath, type PathParameters } from '@tradepost/contract/match-path'
import { webPaths } from '@tradepost/contract/web-paths'
import { NOT_FOUND, type ShownScreen, type WebRoute } from '@tradepost/contract/web-routes'

/** The result of a path for a person: a screen with the named segments of the path, or another path to go to. */
type Found = { shown: ShownScreen; parameters: PathParameters } | { leadsTo: string }

/**
 * Looks a path up in the route table. A visitor without a screen there is led to /login, a signed-in person to /
 * (docs/specification.md section 2, rule G-01). An unknown path shows the not-found screen (rule G-02).
 */
export function findRoute(routes: readonly WebRoute[], pathname: string, isSignedIn: boolean): Found {
  for (const route of routes) {
    const parameters = matchPath(route.path, pathname)
    if (parameters === null) continue
    if ('leadsTo' in route) return { leadsTo: route.leadsTo }
    const shown = isSignedIn ? route.signedIn : route.visitor
    return shown ? { shown, parameters } : { leadsTo: isSignedIn ? webPaths.home : webPaths.login }
  }
  return { shown: NOT_FOUND, parameters: {} }
}
