import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

/** The workspace of the web app, a folder for intermediate files, and the build that the files go to. */
type Folders = { web: string; cache: string; dist: string }
type Manifest = Record<string, { file: string; imports?: string[]; css?: string[] }>

/** `files` are its paths, the script first; `elements` load them. */
export type PageScript = { files: string[]; elements: string }

/**
 * Builds the script and the look of a page beside the app, so that the app shares nothing with it, and puts its files beside the others.
 * @param entry path below web/
 */
export async function buildPageScript(
  { web, cache, dist }: Folders,
  entry: string,
  plugins: Plugin[] = [],
): Promise<PageScript> {
  const outDir = mkdtempSync(join(cache, 'page-script-'))
  try {
    await build({
      configFile: false,
      root: web,
      logLevel: 'warn',
      plugins,
      build: {
        outDir,
        emptyOutDir: true,
        copyPublicDir: false,
        manifest: true,
        modulePreload: false,
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        rolldownOptions: { input: join(web, entry) },
      },
    })
    cpSync(join(outDir, 'assets'), join(dist, 'assets'), { recursive: true })
    const chunk = (JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8')) as Manifest)[entry]
    if (!chunk || chunk.imports?.length) throw new Error(`${entry} begins with more than one script`)
    const styles = (chunk.css ?? []).map((file) => `/${file}`)
    const links = styles.map((file) => `<link rel="stylesheet" href="${file}" />`)
    const script = `/${chunk.file}`
    return {
      files: [script, ...styles],
      elements: [...links, `<script type="module" src="${script}"></script>`].join('\n    '),
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}
