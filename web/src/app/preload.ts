import { webRoutes } from '@tradepost/contract/web-routes'
import { findRoute } from './find-route.ts'
import { screens } from './screens.ts'

/** Fetches the screen behind a path when a signed-in person is about to go there. */
export function preloadPath(path: string): void {
  const found = findRoute(Object.values(webRoutes), path, true)
  if ('shown' in found) screens[found.shown.screen].preload()
}
