import { webPaths } from '@tradepost/contract/web-paths'
import { routes } from './routes.ts'
import { screens } from './screens.ts'

/** Fetches the screen behind a path when somebody is about to go there. */
export function preloadPath(path: string): void {
  const route = routes.find((known) => known.path === path)
  const name = path === webPaths.home ? 'positions' : route?.screen
  if (name) screens[name].preload()
}
