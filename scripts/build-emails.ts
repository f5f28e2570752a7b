/**
 * Turns `emails/src/*.tsx` into one module that Node can run, with everything in it: the server then needs no React.
 * Takes milliseconds, so tests build it every time.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const emails = join(import.meta.dirname, '../emails')
const target = join(emails, 'dist/render.js')
// Written beside and moved into place: another process may be reading the old one.
const fresh = join(emails, `dist/render.${process.pid}.js`)

await build({
  entryPoints: [join(emails, 'src/render.tsx')],
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
