/**
 * Makes one module each of the server and of the sandbox, with their libraries, and one of each part that is loaded later: Node finds
 * and reads 2,000 files otherwise, which takes longer than all else of a start. Code that reads files beside itself goes on reading those of
 * the sources.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build, type OutputFile, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** An import of `node:http` has Node read all that it exports, and load for that the 100 files behind `fetch`. */
const withoutFetch: Plugin = {
  name: 'without fetch',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:node:)?http$/ }, () => ({ path: 'node:http', namespace: 'builtin' }))
    onLoad({ filter: /^node:http$/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

for (const workspace of ['server', 'sandbox']) await bundle(join(root, workspace))

async function bundle(workspace: string): Promise<void> {
  const target = join(workspace, 'dist')
  const { outputFiles } = await build({
    entryPoints: [join(workspace, 'src/main.ts')],
    outdir: target,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    minifySyntax: true,
    legalComments: 'none',
    // Of a library's own settings, which are never read.
    external: ['typescript'],
    plugins: [placesOfSources(workspace, target), withoutFetch],
    // Libraries that are no ES modules load Node's own with require.
    banner: {
      js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
    },
    logLevel: 'error',
    write: false,
  })
  replaceFiles(target, outputFiles)
}

/** Each is moved into place, and what others load is there before them: another process may be starting from here. */
function replaceFiles(folder: string, files: OutputFile[]): void {
  mkdirSync(folder, { recursive: true })
  const entry = join(folder, 'main.js')
  const parts = files.filter(({ path }) => path !== entry)
  for (const { contents, path } of [...parts, ...files.filter(({ path }) => path === entry)]) {
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
  const names = files.map(({ path }) => basename(path))
  const old = readdirSync(folder).filter((name) => name.endsWith('.js') && !names.includes(name))
  for (const name of old) rmSync(join(folder, name), { force: true })
}

/** A module's own place, as it is seen from where it stands now. The built server starts the built sandbox. */
function placesOfSources(workspace: string, target: string): Plugin {
  const src = join(workspace, 'src/')
  return {
    name: 'places of sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!path.startsWith(src)) return undefined
        const file = JSON.stringify(relative(target, path))
        const folder = JSON.stringify(`/${relative(target, dirname(path))}`)
        const contents = readFileSync(path, 'utf8')
          .replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
          .replaceAll('import.meta.url', `new URL(${file}, import.meta.url).href`)
          .replace('/sandbox/src/main.ts', '/sandbox/dist/main.js')
        return { contents, loader: 'ts' }
      })
    },
  }
}
