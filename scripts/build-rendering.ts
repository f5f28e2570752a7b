import { renameSync } from 'node:fs'
import { build } from 'esbuild'

/**
 * Turns components into one module that Node can run, with everything in it: the server then needs no React.
 * @param entry its exports are those of the module
 * @param target written beside and moved into place, since another process may be reading the old one
 */
export async function buildRendering(entry: string, target: string): Promise<void> {
  const fresh = `${target}.${process.pid}`
  await build({
    entryPoints: [entry],
    outfile: fresh,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    jsx: 'automatic',
    minifySyntax: true,
    legalComments: 'none',
    // The server has it too; one copy of it then reads both.
    external: ['zod'],
    define: { 'process.env.NODE_ENV': '"production"' },
    // React's server part loads Node's own modules with require, which ES modules do not have.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'error',
  })
  renameSync(fresh, target)
}
