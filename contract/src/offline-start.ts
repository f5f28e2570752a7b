import { webRoutes } from './web-routes.ts'

/*
 * Names that the build, the service worker and the page share about a start without a network, in a file without schemas: a schema library
 * would be many times the size of the worker.
 */

/** Browser caches with this prefix hold the app of one version each. */
export const APP_CACHE_PREFIX = 'tradepost-app-'

/** Where the document of the app is asked for, and stands in such a cache: one of the paths that share it. */
export const SHELL_PATH = webRoutes.search.path

/** Stands at the root element of a document that the service worker answered, since the server could not be reached. */
export const KEPT_ATTRIBUTE = 'data-kept'

/** One build of the app. */
export type AppFiles = {
  /** Differs between builds that differ. */
  version: string
  /** Path of the script that the document of this build starts. */
  entry: string
  /** The same of /verify. */
  verify: string
  /** Paths of every file that a start without a network may need, the entry among them. */
  files: readonly string[]
}
