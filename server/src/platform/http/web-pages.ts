import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { type PageSettings, pageSettings } from '@tradepost/contract/settings'
import { isUsername } from '@tradepost/contract/username'
import { webPaths } from '@tradepost/contract/web-paths'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { answerNotFound } from './error-handler.ts'

const DIST = join(import.meta.dirname, '../../../../web/dist')
const YEAR_SECONDS = 31_536_000

/** Paths that the router of the web app knows; all others get its not-found screen with status 404 (decision G-02). */
const SCREENS = new Set<string>([
  webPaths.home,
  webPaths.login,
  webPaths.leaderboard,
  webPaths.search,
  webPaths.trade,
  webPaths.account,
  webPaths.paymentSuccess,
  '/feedback',
  '/styles',
])
const TRADER_SCREEN = /^\/trader\/([^/]+)(?:\/subscribe)?$/

/**
 * Serves the built web app: `/` and `/login` with their page in the document, every other screen as the app's shell, hashed assets for
 * a year. The page's settings, and the origin that a preview of the page has to name, are written into the document at
 * start, so one build serves every environment.
 * @param origin the one public origin
 * @throws when web/dist has not been built
 */
export async function serveWebPages(
  app: FastifyInstance,
  settings: PageSettings,
  origin: string,
): Promise<void> {
  if (!existsSync(join(DIST, 'index.html'))) throw new Error('The web app is not built: run "npm run build".')
  const landing = documentWith(settings, origin, 'index.html')
  const login = documentWith(settings, origin, 'login.html')
  const shell = documentWith(settings, origin, 'app.html')
  const hashes = JSON.parse(readFileSync(join(DIST, 'csp.json'), 'utf8')) as {
    scripts: string[]
    styles: string[]
  }
  const policy = contentSecurityPolicy(hashes)

  await app.register(staticFiles, {
    root: DIST,
    index: false,
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      const hashed = path.includes('/assets/')
      reply.header(
        'cache-control',
        hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, max-age=3600',
      )
    },
    allowedPath: (path) => !/(^\/\.vite\/.*|\.html|\/csp\.json|\/\.stamp)(\.br|\.gz)?$/.test(path),
  })
  const sendDocument = (reply: FastifyReply, html: string, status = 200) =>
    reply
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cache-control', 'no-cache')
      .send(html)

  for (const path of SCREENS) {
    const html = { [webPaths.home]: landing, [webPaths.login]: login }[path] ?? shell
    app.get(path, (_request, reply) => sendDocument(reply, html))
  }
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const wantsDocument = request.method === 'GET' && /text\/html|\*\/\*/.test(request.headers.accept ?? '')
    // Read as a router would: `/v1%2Fnothing` is asked by a program too. What cannot be decoded never comes here.
    const isCall = /^\/(v1|auth|webhooks|mail)(\/|$)/.test(decodeURIComponent(path))
    if (!wantsDocument || isCall || /\.[a-z0-9]+$/i.test(path)) return answerNotFound(request, reply)
    return sendDocument(reply, shell, isTraderScreen(path) ? 200 : 404)
  })
}

function isTraderScreen(path: string): boolean {
  const name = TRADER_SCREEN.exec(path)?.[1]
  return name !== undefined && isUsername(name)
}

function documentWith(settings: PageSettings, origin: string, file: string): string {
  // "<" is the only character that could end the script element early.
  const json = JSON.stringify(pageSettings.parse(settings)).replaceAll('<', '\\u003c')
  return readFileSync(join(DIST, file), 'utf8')
    .replaceAll('__ORIGIN__', () => origin)
    .replace('__SETTINGS__', () => json)
}

/** Everything from our own origin, inline only by hash (decision G-81). */
function contentSecurityPolicy(hashes: { scripts: string[]; styles: string[] }): string {
  const quoted = (list: string[]) => list.map((hash) => `'${hash}'`)
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...quoted(hashes.scripts)].join(' '),
    ['style-src', "'self'", ...quoted(hashes.styles)].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
