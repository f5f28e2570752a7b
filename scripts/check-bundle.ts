/**
 * The downloads of a visitor, brotli-compressed, against the budgets; run on a built web/dist. Exit 1 when one is broken. The landing page
 * loads what its document names; the first signed-in page the app's entry, the screen that somebody signed in sees there, everything that
 * these import, and the live feed, which begins once it is drawn. A profile's curve is a part of its own, with the library that draws it.
 * e2e/first-page.spec.ts counts all bytes on the wire (ADR 0096).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { type Drawings, PUBLIC_PAGE_PLACES } from '../contract/src/drawings.ts'
import { BOARD_PLACE } from '../contract/src/landing-board.ts'
import { homeRoute } from '../contract/src/web-routes.ts'
import { LONGEST_BOARD, LONGEST_RECORD } from './longest-drawings.ts'

const dist = join(import.meta.dirname, '../web/dist')
const FIRST_SCREEN = homeRoute.signedIn.screen
const LIVE = 'src/app/live/start-live.ts'

const CURVE = 'src/features/traders/track-record.tsx'

type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[]; css?: string[] }

if (!existsSync(join(dist, '.vite/manifest.json'))) {
  console.error('web/dist is not built: run "npm run build".')
  process.exit(1)
}
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

function withImports(key: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return seen
  seen.add(key)
  for (const imported of chunk.imports ?? []) withImports(imported, seen)
  return seen
}

function brotliBytes(content: Buffer | string): number {
  return brotliCompressSync(content).length
}

function filesBytes(files: Iterable<string>): number {
  return [...new Set(files)].reduce((sum, file) => sum + brotliBytes(readFileSync(join(dist, file))), 0)
}

/** Of the scripts that a document holds and names. */
function documentBytes(document: string): number {
  const html = readFileSync(join(dist, document), 'utf8')
  const inline = [
    ...html.matchAll(/<script(?![^>]*\bsrc=)(?![^>]*application\/json)[^>]*>([\s\S]*?)<\/script>/g),
  ]
  const loaded = [
    ...html.matchAll(/<(?:script[^>]*\bsrc|link[^>]*rel="modulepreload"[^>]*\bhref)="\/([^"]+\.js)"/g),
  ]
  const inlineBytes = inline.reduce((sum, match) => sum + brotliBytes(match[1] ?? ''), 0)
  return inlineBytes + filesBytes(loaded.map((match) => match[1] ?? ''))
}

/** The landing page's document with a board in it, and every file of the build that it names. */
async function landingBytes(): Promise<number> {
  const { drawBoard } = (await import(pathToFileURL(join(dist, 'drawings.mjs')).href)) as Drawings
  const built = readFileSync(join(dist, homeRoute.document), 'utf8')
  const html = built.replace(BOARD_PLACE.begin, () => BOARD_PLACE.begin + drawBoard(LONGEST_BOARD))
  const named = [...html.matchAll(/(?:href|src)="\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? '')
  return brotliBytes(html) + filesBytes(named)
}

/** A trader's public page as its server sends it; style sheet and font are those of every page. */
async function publicPageBytes(): Promise<number> {
  const { drawPublicHead, drawPublicPage } = (await import(
    pathToFileURL(join(dist, 'drawings.mjs')).href
  )) as Drawings
  const address = 'https://tradepost.example/t/'.padEnd(60, 'a')
  const head = drawPublicHead(LONGEST_RECORD, { address, picture: `${address}/picture.png`, isPage: true })
  const content = drawPublicPage(LONGEST_RECORD, new Date('2026-11-21T12:00:00Z'))
  const built = readFileSync(join(dist, 'public-page.html'), 'utf8')
  return brotliBytes(
    built.replace(PUBLIC_PAGE_PLACES.head, () => head).replace(PUBLIC_PAGE_PLACES.content, () => content),
  )
}

const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? ''
const screen = Object.keys(manifest).find((key) => manifest[key]?.name === FIRST_SCREEN) ?? ''
const firstPage = [...new Set([...withImports(entry), ...withImports(screen), ...withImports(LIVE)])]
if (!screen || !entry) {
  console.error(`The manifest names no ${screen ? 'entry' : FIRST_SCREEN}.`)
  process.exit(1)
}
const css = Object.values(manifest).flatMap((chunk) => [
  ...(chunk.css ?? []),
  ...(chunk.file.endsWith('.css') ? [chunk.file] : []),
])
const fonts = readdirSync(join(dist, 'assets')).filter((file) => file.endsWith('.woff2'))

/** The files that a profile loads for its curve, beyond the screen itself. */
const ofProfile = withImports('src/screens/trader.tsx')
const ofCurve = [...withImports(CURVE)].filter((key) => !ofProfile.has(key) && !firstPage.includes(key))
if (ofCurve.length === 0) {
  console.error(`${CURVE} is no part of its own any more.`)
  process.exit(1)
}

// Each is a request with a kilobyte of headers.
if (firstPage.length > 2) {
  console.error(`The first signed-in page loads ${firstPage.length} scripts: ${firstPage.join(', ')}.`)
  process.exit(1)
}

const budgets: [what: string, bytes: number, mustKb: number][] = [
  ['JavaScript of the landing page before anyone acts', documentBytes(homeRoute.document), 60],
  ['landing page in all', await landingBytes(), 58],
  ['longest public page of a trader', await publicPageBytes(), 25],
  ['JavaScript of /docs before a call is tried', documentBytes('docs.html'), 6],
  ['JavaScript of /verify', documentBytes('verify.html'), 12],
  [
    'JavaScript of the first signed-in page',
    filesBytes(firstPage.map((key) => manifest[key]?.file ?? '')),
    122,
  ],
  ["JavaScript of a profile's curve", filesBytes(ofCurve.map((key) => manifest[key]?.file ?? '')), 60],
  ['CSS', filesBytes(css), 14],
  ['fonts', fonts.reduce((sum, file) => sum + readFileSync(join(dist, 'assets', file)).length, 0), 30],
]

let broken = false
for (const [what, bytes, mustKb] of budgets) {
  const over = bytes > mustKb * 1000
  broken ||= over
  console.log(`${over ? '✗' : '✓'} ${what}: ${(bytes / 1000).toFixed(1)} kB of ${mustKb} kB`)
}
process.exit(broken ? 1 : 0)
