/**
 * Builds the web app into web/dist, the documents as contract/src/web-routes.ts names them:
 * - index.html: the prerendered landing page, which fetches the app only when there is a session or an intent (G-81);
 * - login.html: the shell with the first step of signing in, shown until the app is there;
 * - text.html: a page without the app, into which the server puts a text, such as the terms;
 * - public-page.html: a page without a script, into which the server puts a trader's public page; no-public-page.html for other names;
 * - docs.html: a page for the API's document, which the server puts into it, with a script that no other page loads;
 * - a module that draws in the server what depends on data, such as public pages (contract/src/drawings.ts);
 * - verify.html: the page that checks receipts of the record, into which the server puts the record's keys, with a script of its own;
 * - record.html: what the record proves and what not, into which the server puts its state;
 * - app.html: the shell of every other path;
 * - service-worker.js: the script that the browser keeps running beside the pages;
 * - assets/: hashed files, with .br and .gz beside those that gain from it;
 * - csp.json: { scripts, styles }, the hashes of the inline scripts and styles of the documents.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { build } from 'vite'
import { PUBLIC_PAGE_PLACES } from '../contract/src/drawings.ts'
import type { AppFiles } from '../contract/src/offline-start.ts'
import { SERVICE_WORKER_PATH } from '../contract/src/push-worker.ts'
import { RECORD_KEYS_ELEMENT_ID } from '../contract/src/record-keys.ts'
import { homeRoute, loginRoute, type ScreenName } from '../contract/src/web-routes.ts'
import { buildPageScript, type PageScript } from './build-page-script.ts'
import { buildRendering } from './build-rendering.ts'
import { buildServiceWorker } from './build-service-worker.ts'
import { slimAuthClient } from './library-patches.ts'

const web = join(import.meta.dirname, '../web')
const cache = join(import.meta.dirname, '../node_modules/.cache')
mkdirSync(cache, { recursive: true })
/** Built beside and put in place at the end, so that a running server never finds half a build. */
const dist = mkdtempSync(join(cache, 'web-'))
const configFile = join(web, 'vite.config.ts')

/** Without a network there is no profile whose curve could be drawn, and no state of the record. */
const ONLINE_ALONE = ['src/features/traders/track-record.tsx', 'src/app/record-state.tsx']

/** Of the document that the others are made from. */
const TITLE = '<title>Tradepost</title>'

const DESCRIPTION =
  'Traders publish every stock position when they open it and when they close it, at market prices they cannot type in. Follow those you trust and get each move by e-mail.'

type Chunk = {
  file: string
  name?: string
  isEntry?: boolean
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}
type Manifest = Record<string, Chunk>
/** Prerendered, as HTML. */
type PageName = 'landing' | 'login' | 'text' | 'docs' | 'verify' | 'record' | 'noPublicPage'
type Pages = Record<PageName, string>

process.on('exit', () => rmSync(dist, { recursive: true, force: true }))
await build({ configFile, logLevel: 'warn', build: { outDir: dist, emptyOutDir: true } })
const folders = { web, cache, dist }
const ofDocs = await buildPageScript(folders, 'src/api-docs/main.ts', [slimAuthClient()])
const ofVerify = await buildPageScript(folders, 'src/verify/main.ts')
buildServiceWorker(appFiles(ofVerify.files), join(dist, SERVICE_WORKER_PATH))
await buildRendering(join(web, 'src/document/drawings.tsx'), join(dist, 'drawings.mjs'))
writeDocuments(await prerender(), ofDocs, ofVerify)
compressAssets()
copyPictures()
// Under a name of its own too, for pages that are written without the build (server/src/platform/http/mail-page.ts).
copyFileSync(join(dist, 'assets', fontFile()), join(dist, 'geist-latin.woff2'))
// Only the user who makes a temporary folder can read it; this one must be readable for the server too.
chmodSync(dist, 0o755)
rmSync(join(web, 'dist'), { recursive: true, force: true })
renameSync(dist, join(web, 'dist'))

/** Renders the pages with the same components as the app, in this process. */
async function prerender(): Promise<Pages> {
  // Under node_modules, so that what the bundle leaves outside (React) is found from there.
  const outDir = mkdtempSync(join(cache, 'prerender-'))
  try {
    await build({
      configFile,
      logLevel: 'warn',
      build: {
        ssr: join(web, 'src/document/prerender.tsx'),
        outDir,
        emptyOutDir: true,
        manifest: false,
        copyPublicDir: false,
      },
    })
    const module: typeof import('../web/src/document/prerender.tsx') = await import(
      pathToFileURL(join(outDir, 'prerender.js')).href
    )
    return {
      landing: module.renderLanding(),
      login: module.renderLogin(),
      text: module.renderTextPage(),
      docs: module.renderApiDocs(),
      verify: module.renderVerifyPage(),
      record: module.renderRecordPage(),
      noPublicPage: module.renderNoPublicPage(),
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** Browsers show somebody who may install the app what it looks like: by pictures of the README. */
function copyPictures(): void {
  const { screenshots } = JSON.parse(readFileSync(join(dist, 'manifest.webmanifest'), 'utf8')) as {
    screenshots: { src: string }[]
  }
  for (const { src } of screenshots) cpSync(join(web, '../docs', src), join(dist, src))
}

/**
 * The files that a start without a network may need: every part of the app, its style sheets, and the font.
 * @param ofVerify the same of /verify, beside what it shares with the app
 */
function appFiles(ofVerify: string[]): AppFiles {
  const manifest = readManifest()
  const entry = manifest['index.html']
  if (!entry) throw new Error('The build holds no entry')
  const parts = new Set<string>()
  const add = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || parts.has(key) || ONLINE_ALONE.includes(key)) return
    parts.add(key)
    for (const part of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) add(part)
  }
  add('index.html')
  const chunks = [...parts].flatMap((key) => manifest[key] ?? [])
  const names = [...chunks.flatMap(({ file, css = [] }) => [file, ...css]), `assets/${fontFile()}`]
  const files = [...new Set(names.map((name) => `/${name}`)), ...ofVerify]
  const document = readFileSync(join(dist, 'index.html'), 'utf8')
  const version = createHash('sha256').update(document).update(files.join()).digest('hex').slice(0, 16)
  return { version, entry: `/${entry.file}`, verify: ofVerify[0] ?? '', files }
}

function writeDocuments(pages: Pages, ofDocs: PageScript, ofVerify: PageScript): void {
  const { landing, login, text, docs, verify, record } = pages
  if (/\sstyle="/.test(Object.values(pages).join('')))
    throw new Error('A prerendered page has an inline style, which the policy refuses')
  const built = readFileSync(join(dist, 'index.html'), 'utf8')
  const manifest = readManifest()

  const shared = built.replace('<!--head-->', fontPreload())
  const shell = shared
    .replace('<!--landing-->', '')
    .replace('</title>', '</title>\n    <meta name="robots" content="noindex" />')
  writeFileSync(join(dist, 'app.html'), shell)
  writeFileSync(
    join(dist, loginRoute.document),
    withoutModules(shell)
      .replace('</title>', `</title>${appMeta(manifest)}`)
      .replace('<div id="root">', () => `<div id="early">${login}</div><div id="root">`),
  )
  writeFileSync(
    join(dist, homeRoute.document),
    withoutModules(shared)
      .replace(
        '<title>Tradepost</title>',
        `<title>Tradepost: follow traders by what they really achieved</title>${landingMeta()}${appMeta(manifest)}`,
      )
      .replace('<!--landing-->', () => `<div id="landing">${landing}</div>`)
      .replace(/\n\s*<noscript>.*<\/noscript>/, ''),
  )
  const bare = withoutModules(shared).replace(/\n\s*<noscript>.*<\/noscript>/, '')
  writeFileSync(
    join(dist, 'text.html'),
    bare.replace('<title>Tradepost', '<title>__TITLE__ · Tradepost').replace('<!--landing-->', () => text),
  )
  writeFileSync(
    join(dist, 'docs.html'),
    bare
      .replace(
        TITLE,
        titled(
          'API',
          'Each call of the API that the app itself uses, with examples, to be tried from the page.',
        ),
      )
      .replace('</head>', () => `  ${ofDocs.elements}\n  </head>`)
      .replace('<!--landing-->', () => docs),
  )
  const keys = `<script type="application/json" id="${RECORD_KEYS_ELEMENT_ID}">__RECORD_KEYS__</script>`
  writeFileSync(
    join(dist, 'verify.html'),
    bare
      .replace(
        TITLE,
        titled(
          'Check a mail',
          'Checks whether a mail about a position is part of the public record, in your browser.',
        ),
      )
      .replace('</head>', () => `  ${keys}\n    ${ofVerify.elements}\n  </head>`)
      .replace('<!--landing-->', () => verify),
  )
  writeFileSync(
    join(dist, 'record.html'),
    bare
      .replace(
        TITLE,
        titled('Public record', 'What the public list of all positions proves, and what it does not.'),
      )
      .replace('<!--landing-->', () => record),
  )
  writePublicPages(bare, pages)
  writeFileSync(join(dist, 'csp.json'), JSON.stringify({ scripts: inlineHashes(built), styles: [] }))
}

/** The head of a document that search engines may show. */
function titled(title: string, description: string): string {
  return `<title>${title} · Tradepost</title>\n    <meta name="description" content="${description}" />`
}

/** Without any script, so in the theme of a first load: other documents of our own read with one what was chosen. */
function writePublicPages(bare: string, { noPublicPage }: Pages): void {
  const themed = bare
    .replaceAll(/\n\s*<script[\s\S]*?<\/script>/g, '')
    .replace(/<html[^>]*>/, '<html lang="en" class="dark light-on-paper">')
  const [before = '', after = ''] = themed.split('<title>Tradepost</title>')
  const write = (file: string, head: string, content: string) =>
    writeFileSync(join(dist, file), `${before}${head}${after.replace('<!--landing-->', () => content)}`)
  write('public-page.html', PUBLIC_PAGE_PLACES.head, PUBLIC_PAGE_PLACES.content)
  write(
    'no-public-page.html',
    '<title>No public page · Tradepost</title>\n    <meta name="robots" content="noindex" />',
    noPublicPage,
  )
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest
}

/** Every weight of the one Latin font file; without it the first text would be drawn twice. */
function fontPreload(): string {
  return `<link rel="preload" href="/assets/${fontFile()}" as="font" type="font/woff2" crossorigin />`
}

function fontFile(): string {
  const font = readdirSync(join(dist, 'assets')).find((file) => /^geist-latin-.*\.woff2$/.test(file))
  if (!font) throw new Error('The build holds no font')
  return font
}

/** A document that holds its page loads no module automatically; its head script finds them in these elements. */
function appMeta(manifest: Manifest): string {
  const entry = manifest['index.html']
  if (!entry) throw new Error('The build holds no entry')
  const withScreen = (screen: ScreenName) => {
    // By name: one that is in a file with others has no entry for itself.
    const shown = Object.values(manifest).find(({ name }) => name === screen)
    const files = [entry, shown].flatMap((chunk) => filesOf(manifest, chunk))
    return [...new Set(files)].map((file) => `/${file}`).join(' ')
  }
  return `
    <meta name="app" content="/${entry.file}" />
    <meta name="app-login" content="${withScreen(loginRoute.visitor.screen)}" />
    <meta name="app-home" content="${withScreen(homeRoute.signedIn.screen)}" />`
}

/** The landing page's description, for search engines and for people who share it. */
function landingMeta(): string {
  return `
    <meta name="description" content="${DESCRIPTION}" />
    <link rel="canonical" href="__ORIGIN__/" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Tradepost" />
    <meta property="og:title" content="Follow traders by what they really achieved" />
    <meta property="og:description" content="${DESCRIPTION}" />
    <meta property="og:url" content="__ORIGIN__/" />
    <meta property="og:image" content="__ORIGIN__/icons/preview.png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content="Tradepost: follow traders by what they really achieved" />
    <meta name="twitter:card" content="summary_large_image" />`
}

function filesOf(manifest: Manifest, chunk: Chunk | undefined): string[] {
  if (!chunk) throw new Error('The build lacks a screen')
  return [chunk.file, ...(chunk.imports ?? []).flatMap((key) => filesOf(manifest, manifest[key]))]
}

function withoutModules(html: string): string {
  return html
    .replaceAll(/\n\s*<script type="module"[^>]*><\/script>/g, '')
    .replaceAll(/\n\s*<link rel="modulepreload"[^>]*>/g, '')
}

/** As a Content-Security-Policy names them; data blocks (the settings) are not executed and need none. */
function inlineHashes(html: string): string[] {
  return [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `sha256-${createHash('sha256').update(script).digest('base64')}`,
  )
}

function compressAssets(): void {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|css|svg)$/.test(file),
  )
  for (const file of files) {
    const path = join(dist, file)
    if (!existsSync(path)) continue
    const content = readFileSync(path)
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_QUALITY]: 11 } }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}
