import { matchPath } from '@tradepost/contract/match-path'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { webPaths } from '@tradepost/contract/web-paths'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'

/** A guarded page in words: `You came for {name}`, and the link to it. A trader's name has its @. */
export type WantedPage = { address: string; name: string; isTrader: boolean; link: string }

const ROUTES: readonly WebRoute[] = Object.values(webRoutes)

/** The page of an address that was kept; null for one that is none of the route table's, for home, and for a name that nobody can have. */
export function findWantedPage(wanted: string): WantedPage | null {
  const { hash, pathname, search } = new URL(wanted, location.origin)
  for (const { path, ...route } of ROUTES) {
    const parameters = matchPath(path, pathname)
    if (parameters === null || path === webPaths.home || !('signedIn' in route) || !route.signedIn) continue
    const { username } = parameters
    const address = pathname + search + hash
    if (username === undefined) return { address, name: route.signedIn.title, isTrader: false, link: 'Open' }
    const name = readUsername(username)
    if (!isUsername(name)) return null
    const link = path === webRoutes.trader.path ? 'View profile' : route.signedIn.title
    return { address, name: `@${name}`, isTrader: true, link }
  }
  return null
}
