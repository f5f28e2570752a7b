import { join } from 'node:path'
import { buildSync } from 'esbuild'
import type { AppFiles } from '../contract/src/offline-start.ts'

/**
 * Writes the service worker of one build of the app: one file of a fixed name, since a browser looks for a newer version where it found
 * the last one.
 */
export function buildServiceWorker(app: AppFiles, outfile: string): void {
  buildSync({
    define: { APP_FILES: JSON.stringify(app) },
    entryPoints: [join(import.meta.dirname, '../web/src/service-worker/service-worker.ts')],
    outfile,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
  })
}
