import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { type PageSettings, pageSettings } from '@tradepost/contract/settings'
import { isUsername } from '@tradepost/contract/username'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerNotFound } from './error-handler.ts'

const DIST = join(import.meta.dirname, '../../../../web/dist')
const YEAR_SECONDS = 31_536_000

/** Which values of a path's named segment can be somebody; with another there is nothing to show (decision G-02). */
const CAN_EXIST: Readonly<Record<string, (value: string) => boolean>> = { username: isUsername }

type PageSources = {
  settings: PageSettings
  /** The one public origin. */
  origin: string
  /** Folder of the built web app. */
  dist?: string
  routes?: readonly WebRoute[]
}

/**
 * Serves the built web app. Every path of the route table answers 200 with its document, or with the app's shell; every
 * other page answers 404 with the shell, which shows the not-found screen. Hashed assets are kept for a year. The page's
 * settings, and the origin that a preview of the page has to name, are written into the documents at start, so one build
 * serves every environment.
 * @throws when the web app has not been built, or a route names a segment that `CAN_EXIST` does not know
 */
export async function serveWebPages(
  app: FastifyInstance,
  { settings, origin, dist = DIST, routes = Object.values(webRoutes) }: PageSources,
): Promise<void> {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('The web app is not built: run "npm run build".')
  const read = (file: string) => documentWith(settings, origin, join(dist, file))
  const shell = read('app.html')
  const hashes = JSON.parse(readFileSync(join(dist, 'csp.json'), 'utf8')) as {
    scripts: string[]
    styles: string[]
  }
  const policy = contentSecurityPolicy(hashes)

  await app.register(staticFiles, {
    root: dist,
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

  for (const { path, document } of routes) {
    const html = document ? read(document) : shell
    const checks = checksOf(path)
    const answer = (request: FastifyRequest<{ Params: Record<string, string> }>, reply: FastifyReply) => {
      const exists = checks.every(({ name, canExist }) => canExist(request.params[name] ?? ''))
      return exists ? sendDocument(reply, html) : reply.callNotFound()
    }
    app.get(path, answer)
    // The browser's router ignores a slash at the end (web/src/lib/match-path.ts).
    if (!path.endsWith('/')) app.get(`${path}/`, answer)
  }
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const wantsDocument = request.method === 'GET' && /text\/html|\*\/\*/.test(request.headers.accept ?? '')
    // Read as a router would: `/v1%2Fnothing` is asked by a program too. What cannot be decoded never comes here.
    const isCall = /^\/(v1|auth|webhooks|mail)(\/|$)/.test(decodeURIComponent(path))
    if (!wantsDocument || isCall || /\.[a-z0-9]+$/i.test(path)) return answerNotFound(request, reply)
    return sendDocument(reply, shell, 404)
  })
}

function checksOf(path: string): { name: string; canExist: (value: string) => boolean }[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const canExist = CAN_EXIST[name]
    if (!canExist) throw new Error(`Nothing says which values ":${name}" of the path ${path} can have`)
    return { name, canExist }
  })
}

function documentWith(settings: PageSettings, origin: string, path: string): string {
  // "<" is the only character that could end the script element early.
  const json = JSON.stringify(pageSettings.parse(settings)).replaceAll('<', '\\u003c')
  return readFileSync(path, 'utf8')
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
