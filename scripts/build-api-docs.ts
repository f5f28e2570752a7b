import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { slimAuthClient } from './library-patches.ts'

const ENTRY = 'src/api-docs/main.ts'

/** The workspace of the web app, a folder for intermediate files, and the build that the files go to. */
type Folders = { web: string; cache: string; dist: string }
type Manifest = Record<string, { file: string; imports?: string[]; css?: string[] }>

/**
 * Builds the script and the look of /docs apart from the app, so that the app shares nothing with it, and puts its files beside the others.
 * @returns the elements that load it
 */
export async function buildApiDocs({ web, cache, dist }: Folders): Promise<string> {
  const outDir = mkdtempSync(join(cache, 'api-docs-'))
  try {
    await build({
      configFile: false,
      root: web,
      logLevel: 'warn',
      plugins: [slimAuthClient()],
      build: {
        outDir,
        emptyOutDir: true,
        copyPublicDir: false,
        manifest: true,
        modulePreload: false,
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        rolldownOptions: { input: join(web, ENTRY) },
      },
    })
    cpSync(join(outDir, 'assets'), join(dist, 'assets'), { recursive: true })
    const chunk = (JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8')) as Manifest)[ENTRY]
    if (!chunk || chunk.imports?.length) throw new Error('/docs begins with more than one script')
    const styles = (chunk.css ?? []).map((file) => `<link rel="stylesheet" href="/${file}" />`)
    return [...styles, `<script type="module" src="/${chunk.file}"></script>`].join('\n    ')
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}
